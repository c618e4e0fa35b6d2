// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import java.io.File
import kotlin.io.path.toPath

/** The exit code of a process, and its output on both streams. */
internal class Run(val code: Int, val output: String)

/** Runs a program to its end. */
internal fun run(vararg command: String): Run {
    val builder = ProcessBuilder(*command).redirectErrorStream(true)
    builder.environment().remove("JAVA_TOOL_OPTIONS") // the JVM would print them
    val process = builder.start()
    process.outputStream.close()
    val output = process.inputReader().readText()
    return Run(process.waitFor(), output)
}

/** Returns the folder or jar from which a class was loaded. */
internal fun jarOf(type: Class<*>): File = type.protectionDomain.codeSource.location.toURI().toPath().toFile()

/** Returns the folder of the compiled classes of a module of the project. */
internal fun classesOf(module: String): File = File("../$module/target/classes").canonicalFile
