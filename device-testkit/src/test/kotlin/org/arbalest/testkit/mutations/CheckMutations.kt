package org.arbalest.testkit.mutations

import org.arbalest.testkit.mutations.Mutants.Outcome
import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.Callable
import java.util.concurrent.Executors
import kotlin.io.path.Path
import kotlin.io.path.extension
import kotlin.io.path.writeText
import kotlin.system.exitProcess

/**
 * Breaks core in each way that `src/mutations` names, and sees a test fail; writes `docs/mutations.md`.
 *
 * Arguments are words of which one must be in a mutation's title; with some, only those mutations are tried, and no table is written.
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
        val names = baseline(compiled.map { it.first })
        val rows = inParallel(compiled) { (mutation, classes) ->
            check(names.any(matcher(mutation.tests))) { "$mutation: no test of ${mutation.specs} is called ${mutation.tests}" }
            val row = Row(mutation, mutants.run(classes, mutation.specs, mutation.tests, SECONDS))
            when (val outcome = row.outcome) {
                is Outcome.Caught -> println("caught    $mutation: ${outcome.by}")
                is Outcome.Passed -> println("SURVIVED  $mutation: ${outcome.tests.size} tests passed")
            }
            row
        }
        wrong += rows.count { it.outcome is Outcome.Passed }
        println("${rows.size} mutations, $wrong not caught, ${Mutants.seconds(System.nanoTime() - begin)}")
        if (words.isEmpty() && wrong == 0) write(rows)
        return wrong
    }

    /** The names of the tests, all of which pass without a mutation: otherwise their failing would mean nothing. */
    private fun baseline(mutations: List<Mutation>): List<String> {
        val specs = mutations.flatMap { it.specs }.distinct()
        return when (val outcome = mutants.run(null, specs, null, BASELINE_SECONDS)) {
            is Outcome.Passed -> outcome.tests
            is Outcome.Caught -> error("without a mutation there is a failure: ${outcome.by}")
        }
    }

    private fun matcher(tests: String): (String) -> Boolean {
        val pattern = tests.split("*").joinToString(".*") { Regex.escape(it) }.toRegex()
        return { pattern.matches(it) }
    }

    private fun <T, R> inParallel(items: List<T>, action: (T) -> R): List<R> =
        Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors()).use { pool ->
            pool.invokeAll(items.map { Callable { action(it) } }).map { it.get() }
        }

    private fun write(rows: List<Row>) {
        val lines = rows.sortedBy { it.mutation.toString() }.map { row ->
            val mutation = row.mutation
            val types = mutation.changes.map { it.type }.distinct().joinToString(", ")
            "| ${mutation.rule} | ${Mutants.cell(mutation.what)} | $types | ${Mutants.cell((row.outcome as Outcome.Caught).by)} |"
        }
        table.writeText(INTRODUCTION.format(rows.size) + lines.joinToString("\n", postfix = "\n"))
        println(table)
    }

    private companion object {
        const val SECONDS = 180L
        const val BASELINE_SECONDS = 1200L

        val INTRODUCTION = """
            |# Mutations
            |
            |Each of these %d changes breaks one rule in core, and the rule's own test fails. Written by
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
