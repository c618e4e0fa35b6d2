// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda.check

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.support.CCompiler
import org.arbalest.support.ChildJvm
import org.arbalest.testkit.SkipWithout
import java.io.File
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.createSymbolicLinkPointingTo
import kotlin.io.path.div
import kotlin.io.path.exists
import kotlin.io.path.name
import kotlin.io.path.readText
import kotlin.io.path.walk
import kotlin.io.path.writeText

/** Skips tests on a machine that does not let a program hide folders from its children. */
private val hiding = SkipWithout {
    val answer = runCatching { started(Path.of(""), HIDE + "true") }
    answer.exceptionOrNull()?.message ?: answer.getOrThrow().let { if (it.code == 0) null else it.output }
}

/** Skips tests of the archive for another processor, which lacks Java, on a machine that does not make it. */
private val cross = SkipWithout {
    if (System.getProperty("os.arch") == "aarch64") "the archive of an aarch64 machine has its own Java"
    else (CCompiler.find("aarch64-linux-gnu-gcc", System.getenv("PATH").orEmpty()) as? CCompiler.Missing)?.reason
}

private val HIDE = listOf("unshare", "--map-root-user", "--mount")

/** The archives of the check: they are made, unpacked in an empty folder, and started without an environment. */
class CudaBundleSoakSpec : FunSpec({
    extension(CCompiler.commandNeeded)
    extension(hiding)

    val made = tempdir().toPath()
    val machine by lazy { started(made, listOf("uname", "-m")).output.trim() }

    fun unpacked(processor: String): Path = Files.createTempDirectory(made, "machine").also { folder ->
        val archive = made / "gpu-check-linux-$processor.tar.gz"
        val tar = started(folder, listOf("tar", "-xzf", "$archive"))
        withClue(tar.output) { tar.code shouldBe 0 }
    }

    beforeSpec {
        val child = ChildJvm.run(CudaCheck::class, "--bundle=${made / "gpu-check"}")
        withClue(child.output) { child.exitCode shouldBe 0 }
        (made / "gpu-check").toFile().deleteRecursively()
    }

    test("the archive starts without checkout, JDK and environment, and names the missing driver [CHK-09]") {
        val folder = unpacked(machine)
        val run = hidden(folder, "gpu-check/run")
        withClue(run.output) {
            if ("device: good" in run.output) return@test // this machine has a GPU
            run.code shouldBe 1
            run.output shouldContain "device: FAILED, CUDA: no CUDA driver was found; looked for libcuda.so.1"
            run.output shouldContain "no device is available"
            (folder / "gpu-check.json").readText() shouldContain "\"exit_code\": 1"
        }
    }

    test("the archive prints its help, and passes on its simulator, without checkout, JDK and environment [CHK-09]") {
        val folder = unpacked(machine)
        hidden(folder, "gpu-check/run", "--help").let { it.code to it.output.substringBefore(' ') } shouldBe
            (0 to "Usage:")
        val run = hidden(folder, "gpu-check/run", "--double", "--quick", "--only=events")
        withClue(run.output) {
            run.code shouldBe 0
            run.output shouldContain "All checks passed"
        }
    }

    test(
        "the archive for aarch64 names a wrong processor, a missing Java and an old Java [CHK-09]",
    ).config(extensions = listOf(cross)) {
        val folder = unpacked("aarch64")
        val programs = Files.createDirectory(folder / "programs")
        fun run(): Ended = started(folder, listOf("/usr/bin/env", "-i", "PATH=$programs", "gpu-check/run", "--help"))
        fun program(name: String, text: String) {
            (programs / name).writeText("#!/bin/sh\necho '$text'\n")
            (programs / name).toFile().setExecutable(true)
        }
        (programs / "dirname").createSymbolicLinkPointingTo(Path.of("/usr/bin/dirname"))
        program("uname", "x86_64")
        run().let { it.code to it.output } shouldBe (1 to "gpu-check: this archive is for aarch64, this machine is " +
            "x86_64: take the one for x86_64\n")
        program("uname", "aarch64")
        val wanted = "gpu-check: it needs Java 25 or newer; install one, and set JAVA_HOME to its folder\n"
        run().let {
            it.code shouldBe 1
            it.output shouldContain "java: not found"
            it.output shouldContain wanted
        }
        program("java", "openjdk 24.0.2 2025-07-15")
        run().let { it.code to it.output } shouldBe (1 to "openjdk 24.0.2 2025-07-15\n$wanted")
        program("java", "openjdk 25 2025-09-16")
        run().let { it.code to it.output } shouldBe (0 to "openjdk 25 2025-09-16\n") // this Java prints only that
    }

    test("the libraries in the archive for aarch64 are for aarch64 [CHK-09]").config(extensions = listOf(cross)) {
        val folder = unpacked("aarch64")
        val libraries = (folder / "gpu-check" / "native").walk().filter { it.name.endsWith(".so") }.toList()
        libraries.map { it.name }.toSet() shouldBe setOf("libcuda.so", "libpeer.so")
        libraries.filter { Files.readAllBytes(it)[ELF_MACHINE] != AARCH64_ELF }.shouldBeEmpty()
        folder.walk().filter { "jcuda-natives" in it.name }.toList().shouldBeEmpty() // JCuda has none for aarch64
    }
})

/** The place of the processor in an ELF file, and the number of aarch64. */
private const val ELF_MACHINE = 18
private const val AARCH64_ELF: Byte = 0xB7.toByte()

private class Ended(val code: Int, val output: String)

private fun started(folder: Path, command: List<String>): Ended {
    val process = ProcessBuilder(command).directory(folder.toAbsolutePath().toFile()).redirectErrorStream(true).start()
    val output = process.inputReader().readText()
    return Ended(process.waitFor(), output)
}

/** Runs a program of a folder without environment, where the checkout, the JDK and Maven's repository are empty. */
private fun hidden(folder: Path, vararg command: String): Ended {
    val hide = listOf(generateSequence(File("").absoluteFile) { it.parentFile }.last { (it / "mvnw").exists() }.path,
        System.getProperty("java.home"), System.getProperty("user.home") + "/.m2")
    val script = hide.joinToString(" && ") { "mount -t tmpfs none '$it'" }
    return started(folder, HIDE + listOf("sh", "-c", "$script && exec /usr/bin/env -i \"\$@\"", "sh") + command)
}

private operator fun File.div(name: String): File = resolve(name)
