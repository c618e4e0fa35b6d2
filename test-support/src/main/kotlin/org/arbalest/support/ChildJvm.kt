// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import java.io.File
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.reflect.KClass

/** A JVM of its own has run, for what might end one, or can be done once in a process only. */
class ChildJvm private constructor(
    /** Its exit code; −1 if it hung and was killed. */
    val exitCode: Int,
    /** What it wrote to both of its outputs. */
    val output: String,
) {
    companion object {
        private val classPath: String get() = System.getProperty("surefire.test.class.path")
            ?: System.getProperty("java.class.path")

        /**
         * Runs the static `main` of a class on the tests' class path, with more [options] for the JVM. One that takes
         * longer than [seconds] is killed.
         *
         * @param extraClassPath is looked at before the tests' own
         * @param directory where it runs
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
         * in its [environment]: for a process that is talked to, or killed. What it says on its standard error comes
         * with ours. The caller ends it.
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
        )

        /**
         * Runs `java`, that of this JVM, with these arguments and no others. It is killed if it takes longer than
         * [seconds].
         */
        fun java(arguments: List<String>, directory: Path = Path.of(""), seconds: Long = 300): ChildJvm {
            val output = Files.createTempFile("arbalest-child", null)
            try {
                val command = listOf(Path.of(System.getProperty("java.home"), "bin", "java").toString()) + arguments
                val builder = ProcessBuilder(command).directory(directory.toAbsolutePath().toFile())
                    .redirectErrorStream(true).redirectOutput(output.toFile())
                builder.environment().remove("JAVA_TOOL_OPTIONS") // the child would talk about them
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
