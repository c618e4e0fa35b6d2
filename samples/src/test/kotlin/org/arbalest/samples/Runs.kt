// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.arbalest.support.printed
import org.arbalest.support.printedErrors
import java.io.File
import java.nio.file.Path

/** A program's exit code and output. */
internal class Run(val code: Int, val output: String, val error: String)

/** Runs a program in this process and captures its output. */
internal fun captured(program: () -> Int): Run {
    var code = 0
    var output = ""
    val error = printedErrors { output = printed { code = program() } }
    return Run(code, output, error)
}

internal val classPath: List<File> = System.getProperty("java.class.path").split(File.pathSeparator)
    .map { File(it).absoluteFile }

/** Runs the named sample with its options in a separate process. */
internal fun process(
    classPath: String,
    vararg args: String,
    main: String = "SamplesKt",
    options: List<String> = listOf(),
    environment: Map<String, String> = mapOf(),
): Run {
    val java = Path.of(System.getProperty("java.home"), "bin", "java")
    val flags = listOf("--enable-native-access=ALL-UNNAMED", "-cp", classPath)
    val error = File.createTempFile("samples", ".err").apply { deleteOnExit() }
    val process = ProcessBuilder(listOf("$java") + options + flags + "org.arbalest.samples.$main" + args)
        .redirectError(error)
    process.environment().remove("JAVA_TOOL_OPTIONS") // because the child would print these options on standard error
    process.environment() += environment
    val started = process.start()
    val output = started.inputReader().readText()
    return Run(started.waitFor(), output, error.readText())
}
