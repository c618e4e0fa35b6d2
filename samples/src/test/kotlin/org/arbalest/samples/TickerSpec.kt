// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.assertions.nondeterministic.eventually
import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeIn
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import kotlinx.coroutines.flow.collectIndexed
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.future.await
import org.arbalest.coroutines.asFlow
import org.arbalest.coroutines.asTaskFlow
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.int64
import org.arbalest.coroutines.produceTo
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.samples.TickerLibrary.Count
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import java.io.File
import java.io.IOException
import kotlin.time.Duration.Companion.seconds

class TickerSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)
    val library by lazy(TickerLibrary::load)

    /**
     * Runs [block] with a function that returns how many tasks C has sent, and checks that C has ended all of them and
     * freed its memory.
     */
    suspend fun counting(block: suspend (sent: () -> Long) -> Unit) {
        val before = Count.entries.associateWith(library::count)
        fun since(which: Count) = library.count(which) - before.getValue(which)
        block { since(Count.SENT) }
        eventually(5.seconds) { // C may discard tasks and free memory a little later
            since(Count.SENT) shouldBe since(Count.EXTRACTED) + since(Count.DISCARDED)
            library.count(Count.LIVE) shouldBe 0
        }
    }

    test("the sample prints rolling means of quotes, and equal sums of the reverse direction") {
        val run = run("--seconds", "0.3", "--symbols", "3", "--batches", "20", "--prefetch", "4")
        run.error shouldBe ""
        run.code shouldBe 0
        run.output shouldContain "3 symbols, seed 42, 1,000 quotes in a batch"
        run.output shouldContain Regex("[\\d,]+ batches in [\\d.]+ s: north [\\d,]+, south [\\d,]+\n")
        run.output shouldContain Regex("[\\d,]+ announced, [\\d,]+ extracted, \\d+ discarded; at most \\d+ waiting\n")
        run.output.lines().count {
            Regex("\\| (ALFA|BRVO|CHAR) +\\| +[\\d,]+ \\| +[\\d.]+ \\| +[\\d.]+ \\|").matches(it)
        } shouldBe 3
        run.output shouldContain "the reverse, 20 batches"
        run.output.lines().count { Regex("\\| (AAA|BBB|CCC) +\\| +([\\d,.]+) \\| +\\2 \\|").matches(it) } shouldBe 3
        run.output shouldContain "the sums are equal"
        run.output shouldNotContain "\r"
    }

    for (stop in listOf(0, 1, 5)) {
        test("C cancels after $stop batches, and the sums are those of these batches") {
            val run = run("--seconds", "0.05", "--batches", "100000000", "--stop-after", "$stop")
            run.error shouldBe ""
            run.code shouldBe 0
            run.output shouldContain "the reverse, $stop batches"
            run.output shouldContain "the sums are equal"
        }
    }

    test("the rolling means equal a recomputation from the seed") {
        counting {
            val market = Market(symbols = 5, rows = 300, seed = -7, batches = 200)
            val board = library.watch(market, 60.seconds, prefetch = 3) {}
            val expected = Recomputed(market).prices(200)
            board.batches shouldBe 200
            board.announced shouldBe 200
            board.discarded shouldBe 0
            board.instruments.map { it.symbol } shouldBe listOf("ALFA", "BRVO", "CHAR", "DLTA", "ECHO")
            board.instruments.map { it.quotes } shouldBe expected.map { it.size.toLong() }
            board.instruments.map { it.last } shouldBe expected.map { it.last() }
            board.instruments.map { it.mean.value } shouldBe expected.map { it.takeLast(WINDOW).sum() / WINDOW }
        }
    }

    test("the stream's metadata has symbols and seed, and each task's metadata has number and exchange") {
        counting {
            library.open(Market(symbols = 2, rows = 1, seed = 9, batches = 100)).use { stream ->
                stream.schema().await().metadata().entries().map { "$it" } shouldBe listOf("symbols=2", "seed=9")
                stream.asTaskFlow().collectIndexed { i, task ->
                    task.metadata()["sequence"] shouldBe "$i"
                    task.metadata()["exchange"] shouldBeIn listOf("north", "south")
                }
            }
        }
    }

    for (prefetch in listOf(1, 4, 16)) {
        test("C sends at most $prefetch + 1 tasks more than the collector has taken") {
            counting { sent ->
                var taken = 0L
                library.open(Market(symbols = 1, rows = 10, seed = 1)).use { stream ->
                    stream.asTaskFlow(prefetch).take(500).collect { task ->
                        sent() shouldBeLessThanOrEqual ++taken + prefetch + 1
                        // The task is held until all expected tasks have arrived.
                        if (taken == 1L) eventually(5.seconds) {
                            sent() shouldBe if (prefetch == 1) 3L else prefetch + 1L
                        }
                        if (taken % 2 == 0L) task.extract().close()
                    }
                }
            }
        }
    }

    test("a collector that throws leaves no task and no memory in C") {
        counting {
            library.open(Market(symbols = 26, rows = 100, seed = 1)).use { stream ->
                shouldThrow<IOException> { stream.asFlow().collect { throw IOException("the screen broke") } }
            }
        }
    }

    test("a stream that is never collected can be closed") {
        counting {
            val stream = library.open(Market(symbols = 1, rows = 1, seed = 1))
            stream.close()
            stream.released().await()
        }
    }

    test("C reports why it rejects a schema") {
        counting {
            library.tally(Long.MAX_VALUE).use { tally ->
                val schema = Schema.of(Field.of("id", DataType.INT64))
                val ids = flow<RecordBatch> { Devices.cpu().batch(1) { int64("id") { 1L } }.use { emit(it) } }
                shouldThrow<DeviceException> { ids.produceTo(tally.handler(), schema) }.errno() shouldBe Errno.EINVAL
                shouldThrow<IllegalStateException> { tally.join() }.message shouldContain "not quotes: symbol"
            }
        }
    }

    test("C receives the error of a flow") {
        counting {
            library.tally(Long.MAX_VALUE).use { tally ->
                val schema = Quotes.schema()
                shouldThrow<IOException> {
                    flow<RecordBatch> { throw IOException("the tape tore") }.produceTo(tally.handler(), schema)
                }
                shouldThrow<IllegalStateException> { tally.join() }.message shouldContain "the tape tore"
            }
        }
    }

    test("a rolling mean has the last values, or all values while there are few") {
        val mean = RollingMean(3)
        listOf(1.0, 2.0, 6.0, 4.0, 5.0).map { mean.add(it).let { mean.value } } shouldBe listOf(1.0, 1.5, 3.0, 4.0, 5.0)
    }

    val wrong = listOf(
        "--seconds 0", "--seconds NaN", "--seconds long", "--symbols 0", "--symbols 27", "--rows 0", "--rows 1000001",
        "--prefetch 0", "--batches -1", "--stop-after -1", "--fast", "x",
    )
    for (args in wrong) {
        test("$args causes a one-line error and exit code 2") {
            val run = run(*args.split(' ').toTypedArray())
            run.code shouldBe 2
            run.output shouldBe ""
            run.error.trimEnd().lines() shouldHaveSize 1
            run.error shouldContain "; see --help"
        }
    }

    test("--help prints the options") {
        val run = run("--help")
        run.code shouldBe 0
        run.output shouldContain "--prefetch"
    }

    test("without a C compiler, the sample prints a one-line error with exit code 1") {
        val classPath = classPath.joinToString(File.pathSeparator)
        process(classPath, "ticker", environment = mapOf("CC" to "no-such-compiler")).run {
            error.trimEnd().lines() shouldHaveSize 1
            error shouldContain "ticker: there is no C compiler no-such-compiler"
            code shouldBe 1
            output shouldBe ""
        }
    }
})

private fun run(vararg args: String): Run = captured { runSamples("ticker", *args) }

/** Recomputes the prices of quotes.c. */
private class Recomputed(private val market: Market) {
    private val prices = IntArray(market.symbols) { (20 + 10 * it) * 64 }

    /** Returns the prices of each symbol after a number of batches. */
    fun prices(batches: Int): List<List<Double>> {
        val bySymbol = List(market.symbols) { mutableListOf<Double>() }
        val walk = Chance(market.seed)
        repeat(batches) {
            for (i in prices.indices) prices[i] = maxOf(64, prices[i] + (walk.next() % 5u).toInt() - 2)
            val chance = Chance(walk.state)
            repeat(market.rows) {
                val random = chance.next()
                val symbol = (random % market.symbols.toUInt()).toInt()
                bySymbol[symbol] += (prices[symbol] + (random shr 32 and 31u).toInt() - 16) / 64.0
            }
        }
        return bySymbol
    }
}

/** The splitmix64 generator. */
private class Chance(seed: Long) {
    var state = seed
        private set

    fun next(): ULong {
        state += -0x61c8864680b583ebL
        var z = state.toULong()
        z = (z xor (z shr 30)) * 0xbf58476d1ce4e5b9uL
        z = (z xor (z shr 27)) * 0x94d049bb133111ebuL
        return z xor (z shr 31)
    }
}
