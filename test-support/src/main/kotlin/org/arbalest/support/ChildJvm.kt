// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import java.io.File
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.reflect.KClass

/** A separate JVM that has run, for code that may end its process, or that can run only once in a process. */
class ChildJvm private constructor(
    /** The exit code; −1 if the JVM did not end in time and was killed. */
    val exitCode: Int,
    /** The text of standard output and standard error. */
    val output: String,
) {
    companion object {
        private val classPath: String get() = System.getProperty("surefire.test.class.path")
            ?: System.getProperty("java.class.path")

        /**
         * Runs the static `main` of a class on the tests' class path, with more [options] for the JVM. Kills the JVM
         * after [seconds].
         *
         * @param extraClassPath comes before the tests' own class path
         * @param directory the working directory
         */
        fun run(
            main: KClass<*>,
            vararg arguments: String,
            extraClassPath: Path? = null,
            options: List<String> = emptyList(),
            directory: Path = Path.of(""),
            seconds: Long = 300,
        ): ChildJvm {
            val folder = Files.createTempDirectory("arbalest-child")
            try {
                return java(options(folder, extraClassPath) + options + main.java.name + arguments, directory, seconds)
            } finally {
                folder.toFile().deleteRecursively()
            }
        }

        /**
         * Starts the static `main` of a class on the tests' class path, with more [options] for the JVM and variables
         * in its [environment]. For a process that exchanges messages with the test, or that the test kills.
         *
         * Its standard error is this process's. The caller ends the process.
         */
        fun start(
            main: KClass<*>,
            vararg arguments: String,
            options: List<String> = emptyList(),
            environment: Map<String, String> = emptyMap(),
        ): Process {
            val java = Path.of(System.getProperty("java.home"), "bin", "java")
            val command = listOf("$java", "-XX:TieredStopAtLevel=1") +
                options(Path.of(System.getProperty("java.io.tmpdir")), null) + options
            val builder = ProcessBuilder(command + main.java.name + arguments)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
            builder.environment().remove("JAVA_TOOL_OPTIONS")
            builder.environment().putAll(environment)
            return builder.start()
        }

        private fun options(folder: Path, extraClassPath: Path?): List<String> = listOf(
            "--enable-native-access=ALL-UNNAMED", "--illegal-native-access=deny", "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile=$folder/hs_err",
            "-cp", listOfNotNull(extraClassPath, classPath).joinToString(File.pathSeparator),
        ) + listOfNotNull(System.getProperty("arbalest.native")?.let { "-Darbalest.native=$it" })

        /** Runs the `java` program of this JVM with only these arguments. Kills the process after [seconds]. */
        fun java(arguments: List<String>, directory: Path = Path.of(""), seconds: Long = 300): ChildJvm {
            val output = Files.createTempFile("arbalest-child", null)
            try {
                val command = listOf(Path.of(System.getProperty("java.home"), "bin", "java").toString()) + arguments
                val builder = ProcessBuilder(command).directory(directory.toAbsolutePath().toFile())
                    .redirectErrorStream(true).redirectOutput(output.toFile())
                builder.environment().remove("JAVA_TOOL_OPTIONS") // otherwise the child's output mentions them
                val process = builder.start()
                val ended = process.waitFor(seconds, SECONDS)
                if (!ended) process.destroyForcibly().waitFor()
                val text = Files.readString(output) + if (ended) "" else "\nkilled after $seconds seconds\n"
                return ChildJvm(if (ended) process.exitValue() else -1, text)
            } finally {
                Files.delete(output)
            }
        }
    }
}
