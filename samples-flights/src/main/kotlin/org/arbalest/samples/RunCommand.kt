// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.monitoring.ResourceCounters
import picocli.CommandLine
import picocli.CommandLine.ParameterException
import picocli.CommandLine.UnmatchedArgumentException

/**
 * Runs a command and returns its exit code: 0 for success, 1 if it fails, its results differ, or a resource stays open,
 * and 2 for wrong options. A failure prints one line on standard error.
 */
fun runCommand(command: CommandLine, vararg args: String): Int {
    command.setExecutionExceptionHandler { e, failed, _ -> 1.also { failed.complain(e.reason) } }
    command.setParameterExceptionHandler { e: ParameterException, _ -> 2.also { e.commandLine.complain(e.report) } }
    val code = command.execute(*args)
    val patience = System.nanoTime() + 2_000_000_000 // another thread releases the resources of finished device work
    while (!ResourceCounters.now().isZero && System.nanoTime() < patience) Thread.yield()
    val left = ResourceCounters.now()
    if (left.isZero) return code
    command.complain("not everything was released: $left")
    return 1
}

private val ParameterException.report: String
    get() {
        if (this !is UnmatchedArgumentException || commandLine.subcommands.isEmpty()) return "$reason; see --help"
        val meant = if (suggestions.isEmpty()) "" else " Did you mean ${suggestions.first()}?"
        return "unknown sample ${unmatched.first()}; --list prints all samples.$meant"
    }

fun CommandLine.complain(what: String) = err.println("$commandName: $what")

/** The first line of the message, which is the whole sentence in errors of DuckDB. */
private val Exception.reason: String
    get() = ((this as? AdbcException)?.driverMessage()?.ifEmpty { null } ?: message ?: toString())
        .lineSequence().first()
