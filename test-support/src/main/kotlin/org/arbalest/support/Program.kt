// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.TimeUnit.MINUTES
import kotlin.io.path.readText

/** A program of the machine. */
object Program {
    /** Runs a program in a folder, for at most five minutes, and returns its output. */
    fun run(folder: Path, command: List<String>): String {
        val words = Files.createTempFile("program", ".txt")
        try {
            val process = ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
                .redirectOutput(words.toFile()).start()
            val ended = process.waitFor(5, MINUTES)
            if (!ended) process.destroyForcibly()
            check(ended && process.exitValue() == 0) {
                "${command.joinToString(" ")} ${if (ended) "failed" else "did not end"}:\n${words.readText()}"
            }
            return words.readText()
        } finally {
            Files.delete(words)
        }
    }
}
