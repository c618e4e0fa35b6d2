// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop

import org.arbalest.testkit.SkipWithout
import java.nio.file.Files
import java.nio.file.Path
import java.security.MessageDigest
import java.util.Base64
import java.util.concurrent.TimeUnit.MINUTES
import kotlin.io.path.name
import kotlin.io.path.readText

/** The programs and files that the tests need from outside. */
internal object Had {
    /**
     * Skips a spec with a message if its engine is not available. With `CI=true` in the environment the spec fails
     * instead.
     */
    fun needed(missing: () -> String?): SkipWithout = SkipWithout {
        missing()?.also { reason -> check(System.getenv("CI") != "true") { reason } }
    }

    /** Runs a program in a folder, for at most five minutes, and returns its output. */
    fun run(folder: Path, command: List<String>): String {
        val words = Files.createTempFile("had", ".txt")
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

    /** Fails if the SHA-512 of a file, in Base64, is not [sha512]. */
    fun check(file: Path, sha512: String) {
        val found = Base64.getEncoder()
            .encodeToString(MessageDigest.getInstance("SHA-512").digest(Files.readAllBytes(file)))
        check(found == sha512) { "${file.name} has the SHA-512 $found, not $sha512" }
    }
}
