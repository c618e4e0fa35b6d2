// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.assembly

import java.io.File
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit.MILLISECONDS
import java.util.concurrent.TimeUnit.SECONDS
import java.util.jar.JarOutputStream
import java.util.zip.ZipEntry
import kotlin.io.path.createDirectory
import kotlin.io.path.createSymbolicLinkPointingTo
import kotlin.io.path.createTempDirectory
import kotlin.io.path.inputStream
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.name
import kotlin.io.path.readText
import kotlin.io.path.writeText

/** The assembly jar of this build. */
internal val ASSEMBLY: Path = Path.of(System.getProperty("assembly.jar")).toAbsolutePath()

private val SPARK_JARS: Path = Path.of(System.getProperty("assembly.spark.jars")).toAbsolutePath()

/**
 * A home of Spark, and processes of it. The home has the jars of a distribution, except those for YARN, Kubernetes,
 * Hive and Python. Spark's launcher makes the commands, as it does for the scripts of a distribution. No jar of the
 * home has classes of this project.
 */
internal class Standalone : AutoCloseable {
    private val home: Path = createTempDirectory("arbalest-spark")
    private val jars = home.resolve("jars").createDirectory()
    private val processes = mutableListOf<Process>()

    /** The jar of the tests' programs, which are in Java and have no class of Kotlin. */
    val programs: Path = home.resolve("programs.jar")

    init {
        for (jar in sparkJars()) jars.resolve(jar.name).createSymbolicLinkPointingTo(jar)
        home.resolve("conf").createDirectory().resolve("log4j2.properties").writeText(LOG)
        val classes = Path.of(System.getProperty("assembly.programs"))
        val folder = classes.resolve(Standalone::class.java.packageName.replace('.', '/'))
        JarOutputStream(Files.newOutputStream(programs)).use { jar ->
            for (file in folder.listDirectoryEntries("{Ids,ClusterProgram,ConnectProgram}*.class")) {
                jar.putNextEntry(ZipEntry("${classes.relativize(file)}".replace(File.separatorChar, '/')))
                file.inputStream().use { it.copyTo(jar) }
            }
        }
    }

    /** Starts a master with two workers of one core each, and returns the master's address. */
    fun cluster(): String {
        val master = start("org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0",
            "--webui-port", "0")
        val address = master.await(Regex("""Starting Spark master at (spark://\S+)"""))
        val workers = List(2) {
            start("org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--webui-port", "0", "--cores", "1",
                "--memory", "1g", "--work-dir", "${home.resolve("work-$it").createDirectory()}", address)
        }
        for (worker in workers) worker.await(Regex("""(Successfully registered) with master"""))
        return address
    }

    /** Starts a server of Spark Connect, which has the assembly, and returns its address. */
    fun connectServer(): String {
        val server = start("org.apache.spark.deploy.SparkSubmit", "--class",
            "org.apache.spark.sql.connect.service.SparkConnectServer", "--master", "local[2]", "--jars",
            "$ASSEMBLY,$programs", "--conf", "spark.connect.grpc.binding.port=0", "--conf", "spark.ui.enabled=false",
            "spark-internal")
        return "sc://127.0.0.1:" + server.await(Regex("""Connect server started at: \S+:(\d+)"""))
    }

    /** Runs `spark-submit`, and returns its output. */
    fun submit(vararg arguments: String): Output = start("org.apache.spark.deploy.SparkSubmit", *arguments).output(180)

    /** Runs a client of Spark Connect, which has the client's jar instead of Spark's core and SQL. */
    fun connectClient(main: String, vararg arguments: String): Output {
        val client = SPARK_JARS.resolve("client").listDirectoryEntries("*.jar")
        val others = jars.listDirectoryEntries("*.jar").filterNot { ENGINE.containsMatchIn(it.name) }
        val classPath = (client + listOf(ASSEMBLY, programs) + others).joinToString(File.pathSeparator)
        val options = command("org.apache.spark.deploy.SparkSubmit").filter { Regex("--[a-z].*=.*|-Dio.*").matches(it) }
        return started(listOf(JAVA) + options + listOf("-cp", classPath, main) + arguments).output(120)
    }

    private fun start(main: String, vararg arguments: String): Running = started(command(main, *arguments))

    /** Returns the command that `bin/spark-class` of a distribution runs, made by Spark's launcher. */
    private fun command(main: String, vararg arguments: String): List<String> {
        val launcher = process(listOf(JAVA, "-cp", "$jars/*", "org.apache.spark.launcher.Main", main) + arguments)
            .redirectError(ProcessBuilder.Redirect.INHERIT).start()
        // A zero and a line feed come before the command.
        val command = launcher.inputStream.readAllBytes().decodeToString().split('\u0000').map(String::trim)
            .filter(String::isNotEmpty)
        check(launcher.waitFor() == 0) { "Spark's launcher failed for $main" }
        return command
    }

    private fun started(command: List<String>): Running {
        val log = Files.createTempFile(home, "process", ".log")
        val builder = process(command).redirectErrorStream(true).redirectOutput(log.toFile())
        builder.environment()["JDK_JAVA_OPTIONS"] = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" // halves the time
        val process = builder.start()
        processes += process
        return Running(process, log)
    }

    private fun process(command: List<String>) = ProcessBuilder(command).apply {
        environment().remove("JAVA_TOOL_OPTIONS")
        environment() += mapOf("SPARK_HOME" to "$home", "SPARK_CONF_DIR" to "$home/conf", "SPARK_LOCAL_IP" to
            "127.0.0.1", "SPARK_SCALA_VERSION" to "2.13", "JAVA_HOME" to System.getProperty("java.home"))
    }

    /** Ends all processes, the latest first, and waits for their executors. */
    override fun close() {
        val all = processes.reversed().flatMap { listOf(it.toHandle()) + it.descendants().toList() }
        all.forEach { it.destroyForcibly() }
        all.forEach { it.onExit().get(60, SECONDS) }
        home.toFile().deleteRecursively()
    }
}

/** The end of a process. */
internal class Output(val code: Int, val text: String) {
    /** The values that a program has printed, by their names. */
    val values: Map<String, String> = text.lines().filter { ": " in it }
        .associate { it.substringBefore(": ") to it.substringAfter(": ") }
}

internal class Running(private val process: Process, private val log: Path) {
    /** Waits for a line of the log, and returns the group of the pattern. */
    fun await(pattern: Regex): String {
        val start = System.nanoTime()
        while (true) {
            pattern.find(log.readText())?.let { return it.groupValues[1] }
            check(process.isAlive && System.nanoTime() - start < 180e9) { "no line $pattern:\n${log.readText()}" }
            process.waitFor(50, MILLISECONDS)
        }
    }

    fun output(seconds: Long): Output {
        val ended = process.waitFor(seconds, SECONDS)
        return Output(if (ended) process.exitValue() else -1, log.readText())
    }
}

private val JAVA: String = "${Path.of(System.getProperty("java.home"), "bin", "java")}"

/** The jars of Spark on the class path of the tests, with Spark's own ANTLR and its server of Spark Connect. */
private fun sparkJars(): List<Path> {
    val classPath = System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path")
    val own = classPath.split(File.pathSeparator).map(Path::of).filter { it.name.endsWith(".jar") }
    return own.filter { jar -> OTHERS.none { "$jar".contains(it) } } +
        SPARK_JARS.resolve("home").listDirectoryEntries("*.jar")
}

/** Parts of the paths of jars that no home of Spark has. */
private val OTHERS = listOf("/arbalest", "/test-support", "/org/antlr/", "/org/tomlj/", "/org/duckdb/", "/io/kotest/",
    "/org/jetbrains/", "/org/junit/", "/surefire")

/** Matches the names of jars that a client of Spark Connect does not have. */
private val ENGINE = Regex("^spark-(core|sql|catalyst|connect|pipelines)")

private val LOG = """
    rootLogger.level = warn
    rootLogger.appenderRef.console.ref = console
    appender.console.type = Console
    appender.console.name = console
    appender.console.target = SYSTEM_ERR
    appender.console.layout.type = PatternLayout
    appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n
    logger.deploy.name = org.apache.spark.deploy
    logger.deploy.level = info
    logger.connect.name = org.apache.spark.sql.connect.service
    logger.connect.level = info
""".trimIndent()
