// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.mutations

import java.io.File
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit.SECONDS
import javax.tools.ToolProvider
import kotlin.io.path.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.exists
import kotlin.io.path.name
import kotlin.io.path.readLines
import kotlin.io.path.writeText

/** Core with a mutation: the classes that it changes, compiled into a folder that comes first on the class path of a JVM that runs the specs. */
internal class Mutants(private val project: Path, private val work: Path) {
    private val sources = Mutation.sources(project)
    private val core = project.resolve("device-core/target/classes")
    private val folders = listOf(core, project.resolve("device-core/target/test-classes"), Path("target/classes"), Path("target/test-classes")).map(Path::toAbsolutePath)
    private val libraries = System.getProperty("java.class.path").split(File.pathSeparator).filter { it.endsWith(".jar") && !Path(it).name.startsWith("device-core") }
    private val compiler = checkNotNull(ToolProvider.getSystemJavaCompiler()) { "this JVM has no javac" }

    /** Compiles a mutation; fails if what it changes is not there, or if javac does not take it. */
    fun compile(mutation: Mutation, number: Int): Path {
        val folder = work.resolve("$number")
        val classes = folder.resolve("classes").createDirectories()
        val files = mutation.mutated(sources).map { (name, source) -> folder.resolve(name).also { it.writeText(source) } }
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
        val ended = process.waitFor(seconds, SECONDS)
        if (!ended) {
            val family = process.descendants().toList() + process.toHandle()
            family.forEach(ProcessHandle::destroyForcibly)
            process.waitFor()
        }
        return Outcome.of(if (ended) process.exitValue() else null, Path("$output.hs_err").exists(), output.readLines())
    }

    /** The class of a spec that is called by its simple name. */
    private fun className(spec: String): String {
        val found = folders.filter(Path::exists).flatMap { folder ->
            Files.walk(folder).use { files -> files.filter { it.name == "$spec.class" }.map { folder.relativize(it).toString() }.toList() }
        }
        return found.singleOrNull()?.removeSuffix(".class")?.replace(File.separatorChar, '.') ?: error("there are ${found.size} classes $spec")
    }
}
