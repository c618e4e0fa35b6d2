// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import org.arbalest.testkit.SkipWithout
import java.io.File
import java.nio.file.Files
import java.nio.file.Path

/** The C compiler of this machine, or the reason why it is missing. */
sealed interface CCompiler {
    /** A compiler at [path], whose command line is that of `cc`. */
    data class Found(val path: Path) : CCompiler

    /** A missing compiler; [reason] is a sentence. */
    data class Missing(val reason: String) : CCompiler

    companion object {
        /**
         * The compiler that the environment variable `CC` names; `cc` if it is not set. The `PATH` is searched once.
         */
        val answer: CCompiler by lazy { find(System.getenv("CC") ?: "cc", System.getenv("PATH").orEmpty()) }

        /** The compiler for C++ that the environment variable `CXX` names; `c++` if it is not set. */
        val cpp: CCompiler by lazy { find(System.getenv("CXX") ?: "c++", System.getenv("PATH").orEmpty()) }

        /**
         * Skips the tests of a spec, with the reason, if no library can be made from C: the machine has no C compiler,
         * and the project's small compiler does not replace it. If it does, this says so once.
         *
         * With `CI=true` in the environment no test is skipped: [NativeLibrary.compile] then fails.
         */
        val needed: SkipWithout = SkipWithout {
            if (NativeLibrary.isBySmallCompiler) sayWhich
            NativeLibrary.missing?.takeUnless { System.getenv("CI") == "true" }
        }

        private val sayWhich by lazy {
            println("The small compiler makes the libraries of the tests: ${(answer as Missing).reason}")
        }

        /**
         * Skips tests if the machine has no C compiler: tests that run its command, and those that compare something
         * with the compiler or with the headers of the C library. With `CI=true` it skips no test.
         */
        val commandNeeded: SkipWithout = SkipWithout {
            (answer as? Missing)?.reason?.takeUnless { System.getenv("CI") == "true" }
        }

        fun find(command: String, path: String): CCompiler =
            path.split(File.pathSeparator)
                .filter { it.isNotEmpty() }
                .map { Path.of(it).resolve(command) }
                .firstOrNull(Files::isExecutable)
                ?.let(::Found)
                ?: Missing("no C compiler: $command is not on the PATH")
    }
}
