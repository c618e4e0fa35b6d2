// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

/**
 * The emulator for programs that the C compiler makes, if this machine cannot run them.
 *
 * The environment variable `EMULATOR` has its command, as a list of words separated by spaces. Where it is not set, the
 * system runs the programs. `.ci/elsewhere` sets it.
 */
object Emulator {
    private val words: List<String> = System.getenv("EMULATOR").orEmpty().split(' ').filter { it.isNotEmpty() }

    /** The factor for the time limits of tests, which an emulator runs more slowly. */
    val patience: Int = if (words.isEmpty()) 1 else 10

    /** Returns the command that runs a compiled program, given its path and arguments. */
    fun command(program: List<String>): List<String> = words + program
}
