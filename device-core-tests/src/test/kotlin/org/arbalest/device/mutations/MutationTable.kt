// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.mutations

import java.nio.file.Path
import kotlin.io.path.writeText

/** A Markdown table with the test that caught each mutation. */
internal class MutationTable(private val file: Path) {
    /** Writes one row for each mutation that was tried. */
    fun write(tried: List<Trial>) {
        file.writeText(INTRODUCTION.format(tried.size) + tried.map(::row).sorted().joinToString("\n", postfix = "\n"))
        println(file.toRealPath())
    }

    private fun row(trial: Trial): String {
        val mutation = trial.mutation
        val by = when (val outcome = trial.outcome) {
            is Outcome.Caught -> cell(outcome.by)
            is Outcome.Passed -> "**nothing**"
            is Outcome.TimedOut -> "a time-out"
            is Outcome.Broken -> "**not tried**: ${cell(outcome.why)}"
        }
        val types = mutation.changes.map { it.type.substringAfterLast('.') }.distinct().joinToString(", ")
        return "| ${mutation.rule} | ${cell(mutation.what)} | $types | $by | ${trial.seconds} |"
    }

    private companion object {
        const val LONGEST = 110

        fun cell(text: String) = text.replace("|", "\\|").replace('\n', ' ').trim()
            .let { if (it.length > LONGEST) it.take(LONGEST - 1) + "…" else it }

        val INTRODUCTION = """
            |# Mutations
            |
            |Each of these %d changes breaks one rule in core. A test must then fail.
            |A mutation fails the run if no test catches it, no test runs, javac rejects it, or core lacks its code.
            |"A crash of the JVM" is a SIGSEGV, SIGBUS or SIGABRT in the JVM that ran the tests.
            |"A time-out" means that this JVM still ran at the time limit, twice: the second time alone.
            |
            || rule | mutation | in | caught by | seconds |
            ||---|---|---|---|---|
            |
        """.trimMargin()
    }
}

/** The outcome of a mutation, and the duration of its run in seconds. */
internal class Trial(val mutation: Mutation, val outcome: Outcome, val seconds: Long)
