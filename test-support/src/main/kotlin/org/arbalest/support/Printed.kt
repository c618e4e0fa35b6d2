// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import java.io.ByteArrayOutputStream
import java.io.PrintStream

/** Runs a program in this process and returns its standard output. */
fun printed(program: () -> Unit): String = printed({ System.out }, System::setOut, program)

/** Runs a program in this process and returns its standard error. */
fun printedErrors(program: () -> Unit): String = printed({ System.err }, System::setErr, program)

private fun printed(get: () -> PrintStream, set: (PrintStream) -> Unit, program: () -> Unit): String {
    val before = get()
    val bytes = ByteArrayOutputStream()
    set(PrintStream(bytes, true))
    try {
        program()
    } finally {
        set(before)
    }
    return bytes.toString()
}
