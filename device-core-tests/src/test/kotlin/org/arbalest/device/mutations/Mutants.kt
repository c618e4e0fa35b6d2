// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.mutations

import java.io.ByteArrayOutputStream
import java.io.File.pathSeparator
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit.SECONDS
import javax.tools.ToolProvider
import kotlin.io.path.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.exists
import kotlin.io.path.readLines
import kotlin.io.path.writeText

/** Core with a mutation: a JVM runs specs with the folder of the changed classes in front of its class path. */
internal class Mutants(private val work: Path) {
    private val classPath =
        Modules.CLASSES.map { "${it.toAbsolutePath()}" } + System.getProperty("java.class.path").split(pathSeparator)
    private val compiler = checkNotNull(ToolProvider.getSystemJavaCompiler()) { "this JVM has no javac" }

    /** Compiles a mutation; fails if the code to change is not found, or if javac rejects the result. */
    fun compile(mutation: Mutation, number: Int): Path {
        val folder = work.resolve("$number")
        val classes = folder.resolve("classes").createDirectories()
        val files = mutation.mutated().map { (name, source) -> folder.resolve(name).also { it.writeText(source) } }
        val words = ByteArrayOutputStream()
        val cp = classPath.joinToString(pathSeparator)
        val options = listOf("--release", "25", "-nowarn", "-proc:none", "-cp", cp, "-d", "$classes")
        val code = compiler.run(null, words, words, *(options + files.map { "$it" }).toTypedArray())
        check(code == 0) { "javac rejects it:\n$words" }
        return classes
    }

    /**
     * Runs tests of some specs in a JVM.
     *
     * @param classes a folder in front of the class path, or null for the unchanged core
     * @param tests the pattern of the tests' names, in which `*` stands for any text; null runs all tests
     */
    fun run(classes: Path?, specs: List<String>, tests: String?, seconds: Long): Outcome {
        val output = Files.createTempFile(work, "output", ".txt")
        val command = listOfNotNull(
            Path(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile=$output.hs_err",
            "--enable-native-access=ALL-UNNAMED",
            "--illegal-native-access=deny",
            tests?.let { "-Dkotest.filter.tests=$it" },
            "-cp",
            (listOfNotNull(classes?.toString()) + classPath).joinToString(pathSeparator),
            Specs::class.java.name,
        ) + specs.map(Modules::specClass)
        val builder = ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile())
        builder.environment().remove("JAVA_TOOL_OPTIONS")
        val process = builder.start()
        val ended = process.waitFor(seconds, SECONDS)
        if (!ended) {
            val family = process.descendants().toList() + process.toHandle()
            family.forEach(ProcessHandle::destroyForcibly)
            process.waitFor()
        }
        return Outcome.of(if (ended) process.exitValue() else null, Path("$output.hs_err").exists(), output.readLines())
    }
}
