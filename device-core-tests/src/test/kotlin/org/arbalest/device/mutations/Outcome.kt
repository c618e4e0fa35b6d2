// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.mutations

/** How a run of specs ended. */
internal sealed interface Outcome {
    /** The specs detected the mutation: [by] is the test that failed, or the end of the JVM. */
    data class Caught(val by: String) : Outcome

    /** All tests passed; [tests] is their number. */
    data class Passed(val tests: Int) : Outcome

    /** The JVM did not end in time. */
    data object TimedOut : Outcome

    /** The run does not show whether a test catches the mutation; [why] is the reason. */
    data class Broken(val why: String) : Outcome

    companion object {
        /** The exit codes of a process that SIGABRT, SIGBUS or SIGSEGV ended. */
        private val FAULTS = setOf(6, 7, 11).map { 128 + it }

        /**
         * Returns the outcome of a run of [Specs].
         *
         * @param exitCode null if the run did not end in time
         * @param isErrorFileThere whether the JVM wrote a file about a fatal error
         */
        fun of(exitCode: Int?, isErrorFileThere: Boolean, output: List<String>): Outcome {
            val began = output.count { it.startsWith(Specs.BEGAN) }
            val tail by lazy { output.takeLast(20).joinToString("") { "\n    $it" } }
            return when {
                began == 0 -> Broken("no test ran, exit code $exitCode$tail")
                exitCode == null -> TimedOut
                exitCode == Specs.ALL_PASSED -> Passed(began)
                exitCode == Specs.ONE_FAILED ->
                    Caught(output.first { it.startsWith(Specs.FAILED) }.removePrefix(Specs.FAILED))
                isErrorFileThere || exitCode in FAULTS -> Caught("a crash of the JVM")
                else -> Broken("exit code $exitCode$tail")
            }
        }
    }
}
