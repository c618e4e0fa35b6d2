// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.runBlocking
import me.tongfei.progressbar.ProgressBar
import org.arbalest.samples.TickerLibrary.Count
import picocli.CommandLine.Command
import picocli.CommandLine.Model.CommandSpec
import picocli.CommandLine.Option
import picocli.CommandLine.ParameterException
import picocli.CommandLine.Spec
import java.util.Locale
import java.util.concurrent.Callable
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlin.time.DurationUnit.SECONDS
import kotlin.time.TimeSource

/** Fails if no C compiler exists, if the sums differ, or if native code leaves memory allocated. */
@Command(
    description = ["Computes rolling means of quotes from native threads in a Kotlin flow; then native code adds up " +
        "quotes from a flow."],
)
internal class TickerCommand : Callable<Int> {
    @Spec
    private lateinit var spec: CommandSpec

    @Option(names = ["-h", "--help"], usageHelp = true, description = ["Prints this help."])
    private var help: Boolean = false

    @Option(names = ["--seconds"], paramLabel = "N",
        description = ["How many seconds to receive quotes; default: \${DEFAULT-VALUE}."])
    private var seconds: Double = 5.0

    @Option(names = ["--symbols"], paramLabel = "N",
        description = ["Number of symbols, up to $MOST_SYMBOLS; default: \${DEFAULT-VALUE}."])
    private var symbols: Int = 8

    @Option(names = ["--rows"], paramLabel = "N",
        description = ["Number of quotes in a batch; default: \${DEFAULT-VALUE}."])
    private var rows: Int = 1000

    @Option(names = ["--prefetch"], paramLabel = "N",
        description = ["Number of batches to request ahead; default: \${DEFAULT-VALUE}."])
    private var prefetch: Int = 16

    @Option(names = ["--batches"], paramLabel = "N",
        description = ["Number of batches to produce for C; default: \${DEFAULT-VALUE}."])
    private var batches: Long = 1000

    @Option(names = ["--stop-after"], paramLabel = "N",
        description = ["Number of these batches after which C cancels; default: never."])
    private var stopAfter: Long = Long.MAX_VALUE

    @Option(names = ["--seed"], paramLabel = "N", description = ["The random seed; default: \${DEFAULT-VALUE}."])
    private var seed: Long = 42

    override fun call(): Int {
        check(seconds > 0) { "--seconds must be more than 0, but is $seconds" }
        check(symbols in 1..MOST_SYMBOLS) { "--symbols must be 1 to $MOST_SYMBOLS, but is $symbols" }
        check(rows in 1..MOST_ROWS) { "--rows must be 1 to $MOST_ROWS, but is $rows" }
        check(prefetch in 1..MOST_ROWS) { "--prefetch must be 1 to $MOST_ROWS, but is $prefetch" }
        check(batches >= 0) { "--batches must be at least 0, but is $batches" }
        check(stopAfter >= 0) { "--stop-after must be at least 0, but is $stopAfter" }
        val library = TickerLibrary.load()
        return cancelledByCtrlC {
            library.printWatch()
            val areEqual = library.printProduce()
            if (library.isEmpty() && areEqual) 0 else 1
        }
    }

    private fun check(condition: Boolean, what: () -> String) {
        if (!condition) throw ParameterException(spec.commandLine(), what())
    }

    private suspend fun TickerLibrary.printWatch() {
        val (board, time) = progress("quotes", (seconds * 1000).toLong()) { bar ->
            val clock = Clock(bar)
            watch(Market(symbols, rows, seed), seconds.seconds, prefetch, clock::show) to clock.time.toDouble(SECONDS)
        }
        val (about, parts) = board.about to board.exchanges.map { (exchange, batches) -> say("$exchange %,d", batches) }
        println(say("%s symbols, seed %s, %,d quotes in a batch: from C to a Kotlin flow", about["symbols"],
            about["seed"], rows))
        val from = parts.joinToString(prefix = if (parts.isEmpty()) "" else ": ")
        println(say("%,d batches in %.1f s", board.batches, time) + from)
        println(say("%,.0f batches per second, %,.0f quotes per second", board.batches / time.coerceAtLeast(0.001),
            board.rows / time.coerceAtLeast(0.001)))
        val (announced, discarded) = board.announced to board.discarded
        println(say("%,d announced, %,d extracted, %,d discarded", announced, board.batches, discarded) +
            "; at most ${board.mostWaiting} waiting")
        println(board.table())
    }

    private suspend fun TickerLibrary.printProduce(): Boolean {
        val sums = produce(Market(symbols, rows, seed, batches), stopAfter)
        println(say("the reverse, %,d batches from a Kotlin flow to C: price times size", sums.batches))
        println(table((sums.ours.keys + sums.theirs.keys).map { listOf(it, sums.ours[it], sums.theirs[it]) }, "symbol",
            "Kotlin", "C"))
        println(if (sums.areEqual) "the sums are equal" else "the sums differ")
        return sums.areEqual
    }

    /** Returns whether native code has freed all memory, and waits a second for its threads. */
    private fun TickerLibrary.isEmpty(): Boolean {
        val patience = TimeSource.Monotonic.markNow() + 1.seconds
        while (count(Count.LIVE) != 0L && patience.hasNotPassedNow()) Thread.onSpinWait()
        val live = count(Count.LIVE)
        if (live != 0L) spec.commandLine().complain("C did not free $live blocks of memory")
        return live == 0L
    }
}

/** Measures the time, and shows the speed in the progress bar. */
private class Clock(private val bar: ProgressBar?) {
    private val start = TimeSource.Monotonic.markNow()
    private var lastUpdate = Duration.ZERO

    /** Time from the start to the last batch. */
    var time: Duration = Duration.ZERO
        private set

    fun show(board: Board) {
        time = start.elapsedNow()
        if (bar == null || time - lastUpdate < INTERVAL) return
        lastUpdate = time
        bar.stepTo(time.inWholeMilliseconds)
        bar.extraMessage = say("%,d batches", board.batches) + board.instruments.take(4).joinToString("") {
            say("  %s %.2f", it.symbol, it.mean.value)
        }
    }

    private companion object {
        val INTERVAL = 0.1.seconds
    }
}

/** Runs [block]. Ctrl-C cancels it, and the process ends after the block has released its resources. */
private fun <T> cancelledByCtrlC(block: suspend CoroutineScope.() -> T): T {
    val job = Job()
    val done = CountDownLatch(1)
    val hook = Thread {
        job.cancel()
        done.await(5, TimeUnit.SECONDS)
    }
    Runtime.getRuntime().addShutdownHook(hook)
    try {
        return runBlocking(Dispatchers.Default + job, block)
    } finally {
        done.countDown()
        try {
            Runtime.getRuntime().removeShutdownHook(hook)
        } catch (_: IllegalStateException) {
            // the hook is already running
        }
    }
}

private fun say(format: String, vararg args: Any?): String = format.format(Locale.ROOT, *args)
