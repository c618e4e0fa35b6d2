package org.arbalest.testkit.mutations

import java.io.File
import java.nio.file.Files
import java.nio.file.Path
import java.util.Locale
import java.util.concurrent.TimeUnit.SECONDS
import javax.tools.ToolProvider
import kotlin.io.path.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.exists
import kotlin.io.path.name
import kotlin.io.path.readText
import kotlin.io.path.writeText

/** Core with a mutation: the classes that it changes, compiled into a folder that comes first on the class path of a JVM that runs the specs. */
internal class Mutants(private val project: Path, private val work: Path) {
    private val sources = project.resolve("device-core/src/main/java/org/arbalest/device")
    private val core = project.resolve("device-core/target/classes")
    private val folders = listOf(core, project.resolve("device-core/target/test-classes"), Path("target/classes"), Path("target/test-classes")).map(Path::toAbsolutePath)
    private val libraries = System.getProperty("java.class.path").split(File.pathSeparator).filter { it.endsWith(".jar") && !Path(it).name.startsWith("device-core") }
    private val compiler = checkNotNull(ToolProvider.getSystemJavaCompiler()) { "this JVM has no javac" }

    /** How a run of specs ended. */
    sealed interface Outcome {
        /** The specs noticed: [by] is the test that failed, or what became of the JVM. */
        data class Caught(val by: String) : Outcome

        /** All tests passed; so many. */
        data class Passed(val tests: Int) : Outcome
    }

    /** Compiles a mutation; fails if what it changes is not there, or if javac does not take it. */
    fun compile(mutation: Mutation, number: Int): Path {
        val folder = work.resolve("$number")
        val classes = folder.resolve("classes").createDirectories()
        val files = mutation.changes.groupBy { it.type }.map { (type, changes) ->
            val original = sources.resolve("${type.replace('.', '/')}.java")
            check(original.exists()) { "core has no $type" }
            val mutated = changes.fold(original.readText()) { source, change -> change.applyTo(source) }
            folder.resolve(original.name).also { it.writeText(mutated) }
        }
        val words = java.io.ByteArrayOutputStream()
        val options = listOf("--release", "25", "-nowarn", "-proc:none", "-cp", (listOf("$core") + libraries).joinToString(File.pathSeparator), "-d", "$classes")
        val code = compiler.run(null, words, words, *(options + files.map { "$it" }).toTypedArray())
        check(code == 0) { "javac does not take it:\n$words" }
        return classes
    }

    /**
     * Runs tests of some specs in a JVM.
     *
     * @param classes a folder before all others, or null for core as it is
     * @param tests which of them: a name with `*` for anything; null is all
     */
    fun run(classes: Path?, specs: List<String>, tests: String?, seconds: Long): Outcome {
        val output = Files.createTempFile(work, "output", ".txt")
        val command = listOfNotNull(
            Path(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile=$output.hs_err", "--enable-native-access=ALL-UNNAMED", "--illegal-native-access=deny", tests?.let { "-Dkotest.filter.tests=$it" },
            "-cp", (listOfNotNull(classes) + folders + libraries).joinToString(File.pathSeparator), Specs::class.java.name,
        ) + specs.map(::className)
        val builder = ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile())
        builder.environment().remove("JAVA_TOOL_OPTIONS")
        val process = builder.start()
        if (!process.waitFor(seconds, SECONDS)) {
            process.destroyForcibly().waitFor()
            return Outcome.Caught("a time-out")
        }
        val lines = output.toFile().readLines()
        return when (process.exitValue()) {
            Specs.ALL_PASSED -> Outcome.Passed(named(lines, Specs.PASSED).size)
            Specs.ONE_FAILED -> Outcome.Caught(named(lines, Specs.FAILED).first())
            else -> Outcome.Caught("a crash of the JVM")
        }
    }

    private fun named(lines: List<String>, start: String) = lines.filter { it.startsWith(start) }.map { it.removePrefix(start) }

    /** The class of a spec that is called by its simple name. */
    private fun className(spec: String): String {
        val found = folders.filter(Path::exists).flatMap { folder ->
            Files.walk(folder).use { files -> files.filter { it.name == "$spec.class" }.map { folder.relativize(it).toString() }.toList() }
        }
        return found.singleOrNull()?.removeSuffix(".class")?.replace(File.separatorChar, '.') ?: error("there are ${found.size} classes $spec")
    }

    /** A few words for a table's cell. */
    internal companion object {
        fun cell(text: String): String = text.replace("|", "\\|").replace('\n', ' ').trim().let { if (it.length > 110) it.take(109) + "…" else it }

        fun seconds(nanos: Long): String = String.format(Locale.ROOT, "%.0f s", nanos / 1e9)
    }
}
