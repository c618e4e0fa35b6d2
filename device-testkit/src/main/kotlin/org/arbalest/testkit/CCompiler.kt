// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit

import java.io.File
import java.nio.file.Files
import java.nio.file.Path

/** The C compiler of this machine, or the reason why there is none. */
public sealed interface CCompiler {
    /** A compiler at [path], whose command line is that of `cc`. */
    public data class Found(val path: Path) : CCompiler

    /** No compiler; [reason] is a sentence. */
    public data class Missing(val reason: String) : CCompiler

    public companion object {
        /** The compiler that the environment variable `CC` names, `cc` without it; looked for once, on the `PATH`. */
        public val answer: CCompiler by lazy { find(System.getenv("CC") ?: "cc", System.getenv("PATH").orEmpty()) }

        /** The compiler for C++ that the environment variable `CXX` names, `c++` without it. */
        public val cpp: CCompiler by lazy { find(System.getenv("CXX") ?: "c++", System.getenv("PATH").orEmpty()) }

        /**
         * Skips the tests of a spec, with the reason, where there is no C compiler.
         *
         * With `CI=true` in the environment nothing is skipped: [NativeLibrary.compile] then fails.
         */
        public val needed: SkipWithout = SkipWithout {
            NativeLibrary.missing?.takeUnless { System.getenv("CI") == "true" }
        }

        internal fun find(command: String, path: String): CCompiler =
            path.split(File.pathSeparator)
                .filter { it.isNotEmpty() }
                .map { Path.of(it).resolve(command) }
                .firstOrNull(Files::isExecutable)
                ?.let(::Found)
                ?: Missing("no C compiler: $command is not on the PATH")
    }
}
