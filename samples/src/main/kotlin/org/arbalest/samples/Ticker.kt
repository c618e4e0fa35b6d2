// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.future.await
import kotlinx.coroutines.withTimeoutOrNull
import org.arbalest.coroutines.asTaskFlow
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.dictionary
import org.arbalest.coroutines.float64
import org.arbalest.coroutines.int32
import org.arbalest.coroutines.lendingFlow
import org.arbalest.coroutines.produceTo
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.async.AsyncArrayStream
import org.arbalest.device.async.AsyncTask
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.types.Schema
import org.arbalest.samples.TickerLibrary.Count
import java.util.TreeMap
import kotlin.random.Random
import kotlin.time.Duration

// Two native threads announce batches of quotes on demand. A flow computes rolling means of as many as it has time for,
// until it is cancelled. Then the reverse: a flow produces quotes, and native code adds them up.

/** The parameters of the quotes, for the native producer and for the flow. */
internal class Market(val symbols: Int, val rows: Int, val seed: Long, val batches: Long = Long.MAX_VALUE)

/** Starts a native stream. The caller must collect it or close it. */
internal fun TickerLibrary.open(market: Market): AsyncArrayStream =
    CData.importAsyncStream(CImport.DEVICE) { handler ->
        start(handler, market.symbols, market.rows, market.batches, market.seed)
    }

/**
 * Collects native quotes until the timeout, which cancels the flow. The flow cancels the stream, and native code
 * releases it.
 */
internal suspend fun TickerLibrary.watch(market: Market, time: Duration, prefetch: Int, each: (Board) -> Unit): Board {
    val before = Count.entries.associateWith(::count)
    fun since(which: Count) = count(which) - before.getValue(which)
    val board = Board()
    open(market).use { stream ->
        board.about = stream.schema().await().metadata()
        withTimeoutOrNull(time) {
            stream.asTaskFlow(prefetch).collect { task ->
                board.waiting(since(Count.SENT) - board.batches - 1)
                board.add(task)
                each(board)
            }
        }
        stream.released().await() // after this, native code makes no calls, and its counters are final
    }
    board.announced = since(Count.SENT)
    board.discarded = since(Count.DISCARDED)
    return board
}

/** Extracts the quotes of a task. Native code makes them on this thread, and they return to it when the block ends. */
private fun Board.add(task: AsyncTask) {
    val exchange = task.metadata()["exchange"].orEmpty()
    task.extract().use { quotes -> add(exchange, quotes) }
}

/**
 * Price times size by symbol, as the flow produced them and as native code added them up, and the number of batches.
 */
internal class Sums(val ours: Map<String, Double>, val theirs: Map<String, Double>, val batches: Long) {
    val areEqual: Boolean get() = ours == theirs
}

/** Produces quotes for native code, which cancels after [stopAfter] batches. */
internal suspend fun TickerLibrary.produce(market: Market, stopAfter: Long): Sums = tally(stopAfter).use { tally ->
    val ours = TreeMap<String, Double>()
    quotes(market) { batch, quotes -> if (batch < stopAfter) quotes.addTo(ours) }
        .produceTo(tally.handler(), Quotes.schema())
    val result = tally.join()
    Sums(ours, result.totals, result.batches)
}

/** Emits batches of quotes. The flow owns each batch until [produceTo] passes it to native code. */
private fun quotes(market: Market, emitting: (batch: Long, Quotes) -> Unit): Flow<RecordBatch> = lendingFlow {
    val random = Random(market.seed)
    for (batch in 0 until market.batches) {
        val quotes = Quotes(market, random)
        emitting(batch, quotes)
        emit(quotes.batch())
    }
}

internal class Quotes(market: Market, random: Random) {
    private val symbols = List(market.rows) { NAMES[random.nextInt(market.symbols)] }
    private val prices = DoubleArray(market.rows) { random.nextInt(64, 6400) / 64.0 } // sums of such numbers are exact
    private val sizes = IntArray(market.rows) { random.nextInt(1, 1000) }

    fun batch(): RecordBatch = Devices.cpu().batch(prices.size) {
        notNull.dictionary("symbol", symbols)
        notNull.float64("price", prices)
        notNull.int32("size", sizes)
    }

    fun addTo(sums: MutableMap<String, Double>) {
        for (row in prices.indices) sums.merge(symbols[row], prices[row] * sizes[row], Double::plus)
    }

    companion object {
        private val NAMES = List(MOST_SYMBOLS) { "${'A' + it}".repeat(3) }

        /** Returns the schema of the batches, which a batch without rows has, too. */
        fun schema(): Schema = Quotes(Market(symbols = 0, rows = 0, seed = 0), Random).batch().use { it.schema() }
    }
}

internal const val MOST_SYMBOLS = 26
internal const val MOST_ROWS = 1_000_000
