// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.support.ChildJvm
import java.nio.file.Path
import java.nio.file.attribute.FileTime
import java.nio.file.attribute.PosixFilePermissions
import java.time.Instant
import kotlin.io.path.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.createParentDirectories
import kotlin.io.path.deleteExisting
import kotlin.io.path.exists
import kotlin.io.path.readText
import kotlin.io.path.setLastModifiedTime
import kotlin.io.path.setPosixFilePermissions
import kotlin.io.path.writeText

/** Launcher.java in a test project, whose `mvnw` records its calls and creates the files that Maven would create. */
class LauncherSpec : FunSpec({
    val launcher = Path("Launcher.java").toAbsolutePath()
    val classPath = System.getProperty("surefire.test.class.path") ?: System.getProperty("java.class.path")

    fun project(exitCode: Int = 0) = tempdir().toPath().also { root ->
        for (file in listOf("pom.xml", "samples/pom.xml", "samples/src/main/kotlin/Some.kt",
            "samples-flights/pom.xml", "samples-flights/src/main/kotlin/Some.kt", "core/pom.xml",
            "core/src/main/java/Other.java")) root.touch(file)
        root.resolve("core/target/classes").createDirectories()
        root.resolve("mvnw").apply {
            writeText(
                """
                #!/bin/sh
                echo "${'$'}@" >> maven.txt
                echo "[INFO] Building Arbalest device-core 0.1.0-SNAPSHOT          [2/9]"
                echo "[ERROR] Some.kt:1: error"
                echo "[DEBUG] Writing tracking file /repository/org/some/1.0/some-1.0.jar.lastUpdated"
                case "${'$'}MAVEN_OPTS" in *simpleLogger*) echo "[INFO] Building logged 1 [3/9]";; esac
                case "${'$'}*" in *samples-flights*) module=samples-flights;; *) module=samples;; esac
                mkdir -p "${'$'}module/target/classes" core/target/classes
                classes="${'$'}PWD/${'$'}module/target/classes:${'$'}PWD/core/target/classes:$classPath"
                printf '%s' "${'$'}classes" > "${'$'}module/target/class-path.txt"
                exit $exitCode
                """.trimIndent(),
            )
            setPosixFilePermissions(PosixFilePermissions.fromString("rwxr-xr-x"))
        }
    }

    fun Path.launch(vararg args: String) = ChildJvm.java(listOf(launcher.toString(), *args), directory = this)
    fun Path.builds() = resolve("maven.txt").let {
        if (it.exists()) it.readText().lines().count { line -> line.isNotEmpty() } else 0
    }

    test("the launcher builds the samples before the first run, and does not build them before the second") {
        val root = project()
        root.launch("--list").also { it.exitCode shouldBe 0 }.output.also {
            it shouldContain "Building the samples"
        } shouldContain "| ticker "
        root.resolve("maven.txt").readText() shouldBe "-Pfull -pl samples -am process-classes\n"
        root.launch("--list").also { it.exitCode shouldBe 0 }.output.also {
            it shouldNotContain "Building"
        } shouldContain "| ticker "
        root.builds() shouldBe 1
    }

    test("the main job builds only the modules that it needs, without their tests") {
        val root = project()
        root.launch("flights", "--help").also { it.exitCode shouldBe 0 }.output shouldContain "Usage: samples flights"
        root.resolve("maven.txt").readText() shouldBe
            "-Pflights -Dpublish=jars -pl samples-flights -am process-classes\n"
        root.launch("flights-java", "--help").exitCode shouldBe 0
        root.builds() shouldBe 1
        root.launch("--list").exitCode shouldBe 0
        root.builds() shouldBe 2
    }

    test("the launcher prints Maven's last lines if Maven fails without an error") {
        val root = project(exitCode = 1)
        root.resolve("mvnw").writeText("#!/bin/sh\necho Multiple garbage collectors selected\nexit 1\n")
        val run = root.launch("flights")
        run.exitCode shouldBe 1
        run.output shouldContain "Multiple garbage collectors selected"
    }

    test("the launcher prints what Maven builds and downloads, and its errors") {
        val root = project()
        val output = root.launch("--list").output
        for (line in listOf("[2/9] Arbalest device-core", "[ERROR] Some.kt:1: error",
            "  file 1 downloaded: some-1.0.jar", "[3/9] logged")) output.lines().count { it == line } shouldBe 1
        output shouldNotContain "Writing tracking file"
    }

    val changes = mapOf<String, (Path) -> Unit>(
        "a source" to { it.touch("samples/src/main/kotlin/Some.kt", later) },
        "a source of a module below" to { it.touch("core/src/main/java/Other.java", later) },
        "the POM of a module" to { it.touch("core/pom.xml", later) },
        "the root POM" to { it.touch("pom.xml", later) },
        "a folder with a removed file" to { root ->
            root.resolve("core/src/main/java/Other.java").deleteExisting()
            root.resolve("core/src/main/java").setLastModifiedTime(later)
        },
        "missing classes" to { it.resolve("core/target/classes").deleteExisting() },
    )
    for ((what, change) in changes) {
        test("the launcher builds again after a change: $what") {
            val root = project()
            root.launch("--list").exitCode shouldBe 0
            change(root)
            root.launch("--list").exitCode shouldBe 0
            root.builds() shouldBe 2
        }
    }

    test("a failed build ends the launcher with its exit code") {
        val run = project(exitCode = 3).launch("--list")
        run.exitCode shouldBe 3
        run.output shouldNotContain "ticker"
    }

    test("a variable with options for all JVMs does not get into the class path") {
        val file = tempdir().toPath().resolve("class-path.txt")
        val java = Path(System.getProperty("java.home"), "bin", "java")
        val process = ProcessBuilder("$java", "-classpath", "one:two", "ClassPath.java", "$file").inheritIO()
        process.environment()["JAVA_TOOL_OPTIONS"] = "-Dany=option"
        process.start().waitFor() shouldBe 0
        file.readText() shouldBe "one:two"
    }

    test("the launcher passes options to the sample and returns its exit code") {
        val run = project().launch("ticker", "--quotes-per-second", "none")
        run.exitCode shouldBe 2
        run.output shouldContain "ticker: Unknown options: '--quotes-per-second', 'none'"
    }

    test("the launcher runs the class path that Maven wrote in this project") {
        val run = ChildJvm.java(listOf("samples/Launcher.java", "--list"), directory = launcher.parent.parent)
        run.exitCode shouldBe 0
        run.output shouldNotContain "Building"
    }
})

private val later = FileTime.from(Instant.now().plusSeconds(600))

private fun Path.touch(file: String, time: FileTime = FileTime.from(Instant.now().minusSeconds(60))) {
    resolve(file).apply {
        createParentDirectories()
        if (!exists()) writeText("")
        setLastModifiedTime(time)
    }
}
