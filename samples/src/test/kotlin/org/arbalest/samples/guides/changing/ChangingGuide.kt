// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.changing

import org.arbalest.coroutines.*
import org.arbalest.device.*

// The Kotlin of docs/guides/changing.md, except the program that it begins with.

fun withTotal(batch: DeviceArray): DeviceArray {
    val prices = batch["price"].doubles()
    val sizes = batch["size"].longs()
    val totals = Devices.cpu().batch(rows = prices.size) {
        float64("total") { row -> prices.getOrNull(row)?.times(sizes[row]) }
    }
    return totals.use { it.retainChild("total") }.use { batch.withColumn("total", it) }
}

fun byPrice(batch: DeviceArray): DeviceArray {
    val prices = batch["price"].doubles()
    return batch.take(*prices.indices.sortedBy { prices.getOrDefault(it, 0.0) }.toIntArray())
}

fun expensive(trades: DeviceArrayReader, limit: Double): LendingFlow<DeviceArray> = trades.asFlow()
    .selectColumns("symbol", "price")
    .filterRows { batch -> batch["price"].doubles().where { it > limit } }
    .rebatch(64_000)

fun filteredHere(batch: DeviceArray, limit: Double): DeviceArray = batch.copyTo(Devices.cpu()).use { here ->
    here.synchronize() // the copy may still be in progress
    here.filter(here["price"].doubles().where { it > limit })
}
