// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import java.io.File
import kotlin.io.path.toPath

/** What a process answered, and what it wrote to both of its outputs. */
internal class Run(val code: Int, val output: String)

/** Runs a program. */
internal fun run(vararg command: String): Run {
    val builder = ProcessBuilder(*command).redirectErrorStream(true)
    builder.environment().remove("JAVA_TOOL_OPTIONS") // the child would talk about them
    val process = builder.start()
    process.outputStream.close()
    val output = process.inputReader().readText()
    return Run(process.waitFor(), output)
}

/** The folder or the archive that a class was loaded from. */
internal fun jarOf(type: Class<*>): File = type.protectionDomain.codeSource.location.toURI().toPath().toFile()

/** What was compiled in a module of the project. */
internal fun classesOf(module: String): File = File("../$module/target/classes").canonicalFile
