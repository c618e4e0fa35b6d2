package org.arbalest.testkit.mutations

import org.arbalest.testkit.mutations.Mutants.Outcome
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.Callable
import java.util.concurrent.Executors
import kotlin.io.path.Path
import kotlin.io.path.exists
import kotlin.io.path.extension
import kotlin.io.path.readLines
import kotlin.io.path.writeText
import kotlin.system.exitProcess

/**
 * Breaks core in each way that `src/mutations` names, and sees a test fail; writes `docs/mutations.md`.
 *
 * Arguments are words of which one must be in a mutation's title; with some, only those mutations are tried, and their rows renewed.
 */
fun main(args: Array<String>) {
    val project = Path("..").toRealPath()
    val work = Files.createTempDirectory("mutations")
    val survived = try {
        CheckMutations(Mutants(project, work), project.resolve("docs/mutations.md")).run(args.filter(String::isNotBlank))
    } finally {
        work.toFile().deleteRecursively()
    }
    exitProcess(if (survived == 0) 0 else 1)
}

private class CheckMutations(private val mutants: Mutants, private val table: Path) {
    private class Row(val mutation: Mutation, val outcome: Outcome)

    /** How many mutations are not caught, or could not be tried. */
    fun run(words: List<String>): Int {
        val begin = System.nanoTime()
        val all = Files.list(Path("src/mutations")).use { files -> files.filter { it.extension == "mutations" }.sorted().toList() }.flatMap(Mutation::read)
        val chosen = all.filter { words.isEmpty() || words.any { word -> word in it.toString() } }
        check(chosen.isNotEmpty()) { "no mutation has any of $words in its title" }

        var wrong = 0
        val compiled = chosen.mapIndexedNotNull { number, mutation ->
            try {
                mutation to mutants.compile(mutation, number)
            } catch (e: IllegalStateException) {
                wrong++
                println("BROKEN    $mutation: ${e.message}")
                null
            }
        }
        baseline(compiled.map { it.first })
        val rows = inParallel(compiled) { (mutation, classes) ->
            val row = Row(mutation, mutants.run(classes, mutation.specs, mutation.tests, SECONDS))
            when (val outcome = row.outcome) {
                is Outcome.Caught -> println("caught    $mutation: ${outcome.by}")
                is Outcome.Passed -> println("SURVIVED  $mutation: ${outcome.tests} tests passed")
            }
            row
        }
        wrong += rows.count { it.outcome is Outcome.Passed }
        println("${rows.size} mutations, $wrong not caught, ${Mutants.seconds(System.nanoTime() - begin)}")
        write(all, rows)
        return wrong
    }

    /** Without a mutation all tests pass: otherwise their failing would mean nothing. */
    private fun baseline(mutations: List<Mutation>) {
        val outcome = mutants.run(null, mutations.flatMap { it.specs }.distinct(), null, BASELINE_SECONDS)
        check(outcome is Outcome.Passed) { "without a mutation there is a failure: $outcome" }
    }

    private fun <T, R> inParallel(items: List<T>, action: (T) -> R): List<R> =
        Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors()).use { pool ->
            pool.invokeAll(items.map { Callable { action(it) } }).map { it.get() }
        }

    /** Writes the rows of all mutations that there are: new ones, and those that the table has of mutations that were not tried. */
    private fun write(all: List<Mutation>, rows: List<Row>) {
        val old = if (table.exists()) table.readLines().filter { it.startsWith("| ") }.associateBy(::title) else emptyMap()
        val new = rows.map(::line).associateBy(::title)
        val lines = all.mapNotNull { mutation -> title(mutation).let { new[it] ?: old[it] } }.sorted()
        table.writeText(INTRODUCTION.format(lines.size) + lines.joinToString("\n", postfix = "\n"))
        println(table)
    }

    private fun line(row: Row): String {
        val by = when (val outcome = row.outcome) {
            is Outcome.Caught -> Mutants.cell(outcome.by)
            is Outcome.Passed -> "**nothing**"
        }
        return "${title(row.mutation)} ${row.mutation.changes.map { it.type }.distinct().joinToString(", ")} | $by |"
    }

    private fun title(mutation: Mutation) = "| ${mutation.rule} | ${Mutants.cell(mutation.what)} |"

    private fun title(line: String) = line.split(" | ", limit = 3).let { "${it[0]} | ${it[1]} |" }

    private companion object {
        const val SECONDS = 90L
        const val BASELINE_SECONDS = 1200L

        val INTRODUCTION = """
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
            |found any more, that does not compile or that no test catches fails the run. "A crash of the JVM" and "a time-out" are what became of
            |the JVM that ran the tests.
            |
            || rule | what is broken | in | caught by |
            ||---|---|---|---|
            |
        """.trimMargin()
    }
}
