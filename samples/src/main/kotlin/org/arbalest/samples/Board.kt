// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.arbalest.coroutines.doubles
import org.arbalest.coroutines.get
import org.arbalest.coroutines.ints
import org.arbalest.coroutines.strings
import org.arbalest.device.RecordBatch
import org.arbalest.device.types.Metadata
import java.util.Locale
import java.util.TreeMap

/** The statistics of the received quotes. */
internal class Board {
    private val bySymbol = TreeMap<String, Instrument>()
    private val byExchange = TreeMap<String, Long>()

    val instruments: Collection<Instrument> get() = bySymbol.values
    val exchanges: Map<String, Long> get() = byExchange
    var batches = 0L
        private set
    var rows = 0L
        private set

    /** The highest number of announced tasks that waited for the collector. */
    var mostWaiting = 0L
        private set

    var about: Metadata = Metadata.empty()
    var announced = 0L
    var discarded = 0L

    fun waiting(tasks: Long) {
        mostWaiting = maxOf(mostWaiting, tasks)
    }

    /** Adds the quotes of a batch in order. */
    fun add(exchange: String, quotes: RecordBatch) {
        val words = quotes["symbol"].dictionary().strings().map { symbol ->
            bySymbol.getOrPut(symbol!!) { Instrument(symbol) }
        }
        val symbols = quotes["symbol"].indices().ints()
        val prices = quotes["price"].doubles()
        for (row in symbols.indices) words[symbols[row]].add(prices[row])
        batches++
        rows += symbols.size
        byExchange.merge(exchange, 1, Long::plus)
    }

    fun table(): String = table(
        instruments.filter { it.quotes > 0 }.map { listOf(it.symbol, it.quotes, it.last, it.mean.value) },
        "symbol", "quotes", "last", "mean of the last %,d".format(Locale.ROOT, WINDOW),
    )
}

internal class Instrument(val symbol: String) {
    val mean = RollingMean(WINDOW)
    var quotes = 0L
        private set
    var last = Double.NaN
        private set

    fun add(price: Double) {
        mean.add(price)
        quotes++
        last = price
    }
}

/** The mean of the last [window] values, or of all values if there are fewer. */
internal class RollingMean(private val window: Int) {
    private val values = DoubleArray(window)
    private var count = 0L
    private var sum = 0.0

    val value: Double get() = sum / minOf(count, window.toLong())

    fun add(value: Double) {
        val at = (count++ % window).toInt()
        sum += value - values[at]
        values[at] = value
        if (at == window - 1) sum = values.sum() // so that rounding errors do not add up
    }
}

internal const val WINDOW = 1000
