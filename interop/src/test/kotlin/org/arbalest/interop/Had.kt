package org.arbalest.interop

import org.arbalest.testkit.SkipWithout
import java.nio.file.Path

/** What is to be had from elsewhere. */
internal object Had {
    /** Skips a spec, visibly, where its engine cannot be had; with `CI=true` in the environment nothing is skipped, and it fails. */
    fun needed(missing: () -> String?): SkipWithout = SkipWithout {
        missing()?.also { reason -> check(System.getenv("CI") != "true") { reason } }
    }

    /** Runs a program in a folder to its end; the answer is what it wrote. */
    fun run(folder: Path, command: List<String>): String {
        val process = ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start()
        val words = process.inputReader().readText()
        check(process.waitFor() == 0) { "${command.joinToString(" ")} failed:\n$words" }
        return words
    }
}
