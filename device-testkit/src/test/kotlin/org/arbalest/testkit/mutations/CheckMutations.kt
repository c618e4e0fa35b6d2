// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.mutations

import java.nio.file.Files
import java.nio.file.Path
import java.util.concurrent.Callable
import java.util.concurrent.Executors
import kotlin.io.path.Path
import kotlin.system.exitProcess

/**
 * Breaks core in each way that `src/mutations` names, and sees a test fail; writes `docs/mutations.md`.
 *
 * Arguments are words of which one must be in a mutation's title; with some, only those mutations are tried, and their rows renewed.
 */
fun main(args: Array<String>) {
    val project = Path("..").toRealPath()
    val work = Files.createTempDirectory("mutations")
    val wrong = try {
        CheckMutations(Mutants(project, work), MutationTable(project.resolve("docs/mutations.md"))).run(args.filter(String::isNotBlank))
    } finally {
        work.toFile().deleteRecursively()
    }
    exitProcess(if (wrong == 0) 0 else 1)
}

private class CheckMutations(private val mutants: Mutants, private val table: MutationTable) {
    /** How many mutations are not caught, or could not be tried. */
    fun run(words: List<String>): Int {
        val begin = System.nanoTime()
        val all = Mutation.all()
        val chosen = all.filter { words.isEmpty() || words.any { word -> word in it.toString() } }
        check(chosen.isNotEmpty()) { "no mutation has any of $words in its title" }

        baseline(chosen)
        val compiled = inParallel(chosen.withIndex().toList()) { (number, mutation) -> runCatching { mutants.compile(mutation, number) } }
        val first = inParallel(chosen zip compiled) { (mutation, classes) ->
            classes.fold({ said(mutation, mutants.run(it, mutation.specs, mutation.tests, SECONDS)) }, { said(mutation, Outcome.Broken("${it.message}")) })
        }
        val tried = chosen.indices.associate { i ->
            val alone = first[i] is Outcome.TimedOut
            chosen[i] to if (alone) said(chosen[i], mutants.run(compiled[i].getOrThrow(), chosen[i].specs, chosen[i].tests, SECONDS)) else first[i]
        }
        val wrong = tried.values.count { it is Outcome.Passed || it is Outcome.Broken }
        println("${tried.size} mutations, $wrong not caught, ${(System.nanoTime() - begin) / 1_000_000_000} s")
        table.write(all, tried)
        return wrong
    }

    /** Without a mutation all tests pass: otherwise their failing would mean nothing. */
    private fun baseline(mutations: List<Mutation>) {
        val outcome = mutants.run(null, mutations.flatMap { it.specs }.distinct(), null, BASELINE_SECONDS)
        check(outcome is Outcome.Passed) { "without a mutation there is a failure: $outcome" }
    }

    private fun said(mutation: Mutation, outcome: Outcome): Outcome {
        when (outcome) {
            is Outcome.Caught -> println("caught    $mutation: ${outcome.by}")
            is Outcome.Passed -> println("SURVIVED  $mutation: ${outcome.tests} tests passed")
            is Outcome.TimedOut -> println("timed out $mutation")
            is Outcome.Broken -> println("BROKEN    $mutation: ${outcome.why}")
        }
        return outcome
    }

    private fun <T, R> inParallel(items: List<T>, action: (T) -> R): List<R> =
        Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors()).use { pool ->
            pool.invokeAll(items.map { Callable { action(it) } }).map { it.get() }
        }

    private companion object {
        const val SECONDS = 90L
        const val BASELINE_SECONDS = 1200L
    }
}
