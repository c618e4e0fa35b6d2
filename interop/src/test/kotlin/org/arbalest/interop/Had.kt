// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop

import org.arbalest.testkit.SkipWithout
import java.nio.file.Files
import java.nio.file.Path
import java.security.MessageDigest
import java.util.Base64
import kotlin.io.path.name

/** The programs and files that the tests need from outside. */
internal object Had {
    /**
     * Skips a spec with a message if its engine is not available. With `CI=true` in the environment the spec fails
     * instead.
     */
    fun needed(missing: () -> String?): SkipWithout = SkipWithout {
        missing()?.also { reason -> check(System.getenv("CI") != "true") { reason } }
    }

    /** Fails if the SHA-512 of a file, in Base64, is not [sha512]. */
    fun check(file: Path, sha512: String) {
        val found = Base64.getEncoder()
            .encodeToString(MessageDigest.getInstance("SHA-512").digest(Files.readAllBytes(file)))
        check(found == sha512) { "${file.name} has the SHA-512 $found, not $sha512" }
    }
}
