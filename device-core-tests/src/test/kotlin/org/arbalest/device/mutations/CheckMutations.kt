// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.mutations

import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.Callable
import java.util.concurrent.Executors
import kotlin.io.path.Path
import kotlin.system.exitProcess

/**
 * Breaks core in each way that `src/mutations` describes, expects a test to fail each time, and writes
 * `target/mutations.md`.
 *
 * Each argument is a group of mutations or part of a mutation's title. Without arguments, all mutations are tried.
 */
fun main(args: Array<String>) {
    val work = Files.createTempDirectory("mutations")
    val wrong = try {
        CheckMutations(Mutants(work), MutationTable(Path("target/mutations.md"))).run(args.filter(String::isNotBlank))
    } finally {
        work.toFile().deleteRecursively()
    }
    exitProcess(if (wrong == 0) 0 else 1)
}

private class CheckMutations(private val mutants: Mutants, private val table: MutationTable) {
    private val begin = System.nanoTime()

    /** Returns the number of mutations that no test caught, or that could not be tried. */
    fun run(words: List<String>): Int {
        val mutations = Mutation.all().filter { words.isEmpty() || words.any(it::matches) }
        check(mutations.isNotEmpty()) { "no mutation has any of $words as its group or in its title" }

        checkUnchanged(mutations)
        val compiled = inParallel(mutations.withIndex().toList()) { (number, mutation) ->
            runCatching { mutants.compile(mutation, number) }
        }
        println("compiled after ${secondsSince(begin)} s")
        val first = inParallel(mutations zip compiled) { (mutation, classes) -> attempt(mutation, classes) }
        val trials = first.zip(compiled) { trial, classes ->
            val isUnclear = trial.outcome is Outcome.TimedOut || (trial.outcome is Outcome.Broken && classes.isSuccess)
            if (isUnclear) attempt(trial.mutation, classes) else trial // again, alone: the JVM may have been slow
        }
        val wrong = trials.filter { it.outcome is Outcome.Passed || it.outcome is Outcome.Broken }
        table.write(trials)
        println("${trials.size} mutations, ${wrong.size} not caught, ${secondsSince(begin)} s")
        wrong.forEach { println("NOT CAUGHT ${it.mutation}") }
        return wrong.size
    }

    /** Fails if a spec fails without a mutation, because its failure would prove nothing. */
    private fun checkUnchanged(mutations: List<Mutation>) {
        val specs = mutations.flatMap { it.specs }.distinct()
        val shares = specs.withIndex().groupBy({ it.index % PROCESSORS }, { it.value }).values.toList()
        val outcomes = inParallel(shares) { mutants.run(null, it, null, BASELINE_SECONDS) }
        outcomes.forEach { check(it is Outcome.Passed) { "a test fails without a mutation: $it" } }
        println("all tests of ${specs.size} specs pass without a mutation, after ${secondsSince(begin)} s")
    }

    private fun attempt(mutation: Mutation, compiled: Result<Path>): Trial {
        val start = System.nanoTime()
        val outcome = compiled.fold(
            { mutants.run(it, mutation.specs, mutation.tests, SECONDS) },
            { Outcome.Broken("${it.message}") },
        )
        return Trial(mutation, outcome, secondsSince(start)).also(::print)
    }

    private fun print(trial: Trial) {
        val said = when (val outcome = trial.outcome) {
            is Outcome.Caught -> "caught    ${trial.mutation}: ${outcome.by}"
            is Outcome.Passed -> "SURVIVED  ${trial.mutation}: ${outcome.tests} tests passed"
            is Outcome.TimedOut -> "timed out ${trial.mutation}"
            is Outcome.Broken -> "BROKEN    ${trial.mutation}: ${outcome.why}"
        }
        println("%3d s %s".format(trial.seconds, said))
    }

    private fun secondsSince(nanos: Long) = (System.nanoTime() - nanos) / 1_000_000_000

    private fun <T, R> inParallel(items: List<T>, action: (T) -> R): List<R> =
        Executors.newFixedThreadPool(PROCESSORS).use { pool ->
            pool.invokeAll(items.map { Callable { action(it) } }).map { it.get() }
        }

    private companion object {
        val PROCESSORS = Runtime.getRuntime().availableProcessors()
        const val SECONDS = 90L
        const val BASELINE_SECONDS = 1200L
    }
}
