// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.changing

import org.arbalest.coroutines.*
import org.arbalest.device.*

// The Kotlin of docs/guides/changing.md, except the program that it begins with.

fun withTotal(batch: RecordBatch): RecordBatch {
    val prices = batch["price"].doubles()
    val sizes = batch["size"].longs()
    val totals = Devices.cpu().batch(rows = prices.size) {
        float64("total") { row -> // null if the price or the size is null
            prices.getOrNull(row)?.let { price -> sizes.getOrNull(row)?.let { price * it } }
        }
    }
    return totals.use { it.retainChild("total") }.use { batch.withColumn("total", it) }
}

fun byPrice(batch: RecordBatch): RecordBatch {
    val prices = batch["price"].doubles()
    val order = prices.indices.sortedWith(compareBy(nullsLast()) { prices.getOrNull(it) })
    return batch.take(*order.toIntArray())
}

fun expensive(trades: RecordBatchReader, limit: Double): LendingFlow<RecordBatch> = trades
    .select("symbol", "price")
    .asFlow()
    .filterRows { batch -> batch["price"].doubles().where { it > limit } }
    .rebatch(64_000)

fun filteredHere(batch: RecordBatch, limit: Double): RecordBatch = batch.copyTo(Devices.cpu()).use { here ->
    here.synchronize() // the copy may still be in progress
    here.filter(here["price"].doubles().where { it > limit })
}
