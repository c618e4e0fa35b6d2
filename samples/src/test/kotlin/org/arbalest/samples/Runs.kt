// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import java.io.ByteArrayOutputStream
import java.io.File
import java.io.PrintStream
import java.nio.file.Path

/** What a program answered and said. */
internal class Run(val code: Int, val output: String, val error: String)

/** Runs a program in this process; what it prints is caught. */
internal fun captured(program: () -> Int): Run {
    var code = 0
    var output = ""
    val error = caught({ System.err }, System::setErr) {
        output = caught({ System.out }, System::setOut) { code = program() }
    }
    return Run(code, output, error)
}

private fun caught(get: () -> PrintStream, set: (PrintStream) -> Unit, block: () -> Unit): String {
    val before = get()
    val bytes = ByteArrayOutputStream()
    set(PrintStream(bytes, true))
    try {
        block()
    } finally {
        set(before)
    }
    return bytes.toString()
}

internal val classPath: List<File> = System.getProperty("java.class.path").split(File.pathSeparator)
    .map { File(it).absoluteFile }

/** Runs a sample, by its name and options, in a process of its own. */
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
    process.environment().remove("JAVA_TOOL_OPTIONS") // the child would talk about them
    process.environment() += environment
    val started = process.start()
    val output = started.inputReader().readText()
    return Run(started.waitFor(), output, error.readText())
}
