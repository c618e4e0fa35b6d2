// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.gpu

import java.nio.file.Files
import java.nio.file.Path
import java.util.HexFormat
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.TimeoutException

/** Another process with the same backend, which runs commands. The code that starts it ends it. */
class SharingPeer(backend: GpuBackend, environment: Map<String, String> = emptyMap()) : AutoCloseable {
    private val process = backend.start(GpuProgram.SHARING, environment = environment)
    private val answers = process.inputReader()
    private val questions = process.outputWriter()

    fun send(vararg words: String) {
        questions.write(words.joinToString(" ") + "\n")
        questions.flush()
    }

    /** Returns the next line. Kills a process that writes nothing for a minute. */
    fun answer(): String {
        val reading = CompletableFuture.supplyAsync({ answers.readLine() }, Thread::startVirtualThread)
        val line = try {
            reading.get(HANG_SECONDS, SECONDS)
        } catch (_: TimeoutException) {
            kill()
            null
        }
        return checkNotNull(line) { "the other process has ended: ${process.waitFor()}" }
    }

    fun ask(vararg words: String): String {
        send(*words)
        return answer()
    }

    fun open(name: String, message: ByteArray): String = ask("open", name, HexFormat.of().formatHex(message))

    fun kill() {
        process.destroyForcibly().waitFor()
    }

    override fun close() {
        questions.close()
        if (!process.waitFor(5, SECONDS)) kill()
    }

    companion object {
        /** The time in seconds after which a process counts as hanging; it may have to start a JVM first. */
        private const val HANG_SECONDS = 60L

        /** Runs a block with a path for a socket, which must be short. */
        fun <T> socket(block: (Path) -> T): T {
            val folder = Files.createTempDirectory("link")
            try {
                return block(folder.resolve("s"))
            } finally {
                folder.toFile().deleteRecursively()
            }
        }
    }
}
