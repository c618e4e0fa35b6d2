// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.mutations

import java.nio.file.Path
import kotlin.io.path.exists
import kotlin.io.path.readLines
import kotlin.io.path.writeText

/** `docs/mutations.md`: what catches each mutation. */
internal class MutationTable(private val file: Path) {
    /** Its rows but for their last column: a rule, what is broken, where. */
    fun places(): List<String> = rows().map { it.trimEnd(' ', '|').substringBeforeLast(" | ") + " |" }

    /** Writes the rows of those mutations of [all] that were tried, and were not broken; of those that were not tried the rows stay. */
    fun write(all: List<Mutation>, tried: Map<Mutation, Outcome>) {
        val old = rows().associateBy(::title)
        val lines = all.mapNotNull { mutation -> if (mutation in tried) row(mutation, tried.getValue(mutation)) else old[title(mutation)] }.sorted()
        file.writeText(INTRODUCTION.format(lines.size) + lines.joinToString("\n", postfix = "\n"))
        println(file)
    }

    private fun rows() = if (file.exists()) file.readLines().filter { it.startsWith("| ") && it != HEADER } else emptyList()

    private fun row(mutation: Mutation, outcome: Outcome): String? {
        val by = when (outcome) {
            is Outcome.Caught -> cell(outcome.by)
            is Outcome.Passed -> "**nothing**"
            is Outcome.TimedOut -> "a time-out"
            is Outcome.Broken -> return null
        }
        return "${place(mutation)} $by |"
    }

    companion object {
        /** How the row of a mutation begins: all but what catches it. */
        fun place(mutation: Mutation): String = "${title(mutation)} ${mutation.changes.map { it.type.substringAfterLast('.') }.distinct().joinToString(", ")} |"

        private fun title(mutation: Mutation): String = "| ${mutation.rule} | ${cell(mutation.what)} |"

        private fun title(row: String) = row.split(" | ", limit = 3).let { "${it[0]} | ${it[1]} |" }

        private fun cell(text: String) = text.replace("|", "\\|").replace('\n', ' ').trim().let { if (it.length > 110) it.take(109) + "…" else it }

        private const val HEADER = "| rule | what is broken | in | caught by |"

        private val INTRODUCTION = """
            |# Mutations
            |
            |Each of these %d changes breaks one rule in core, and a test fails: the rule's own, unless the mutation says which others may. Written by
            |
            |```
            |./mvnw -Pmutations -pl device-testkit -am -DskipTests verify                  # all, and this table
            |./mvnw -Pmutations -pl device-testkit -am -DskipTests verify -Dmutations=ASY  # those with a word in their title
            |```
            |
            |from `device-testkit/src/mutations`, where each is a few lines of code before and after, and the specs to run. A mutation whose code is not
            |found any more, that does not compile, of which no test ran or that no test catches fails the run. "A crash of the JVM" is one by SIGSEGV,
            |SIGBUS or SIGABRT in the JVM that ran the tests, and "a time-out" that it was still at it after a while, and then once more, alone.
            |
            |$HEADER
            ||---|---|---|---|
            |
        """.trimMargin()
    }
}
