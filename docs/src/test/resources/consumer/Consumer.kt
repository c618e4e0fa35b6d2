// SPDX-License-Identifier: Apache-2.0
package consumer

import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.*
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader

data class Trade(val price: Double, val symbol: String?, val count: Long = 7)

private fun made(rows: Int): RecordBatch = Devices.cpu().batch(rows) {
    float64("price") { row -> if (row == 1) null else row + 0.5 }
    utf8("symbol") { row -> if (row % 2 == 0) "s$row" else null }
    int64("id", LongArray(rows) { it * 10L })
    list("fills", { row -> List(row) { it } }) { fills ->
        struct {
            int64("quantity") { fills[it].toLong() }
        }
    }
}

fun main() {
    var sum = 0.0
    made(4).use { batch ->
        val prices = batch["price"].doubles()
        prices.forEachValid { row, price -> sum += row * price }
        for (row in prices.indices) if (!prices.isNull(row)) sum += prices[row]
        sum += batch["id"].longs().toArray().sum()
        println("views: $sum ${batch["symbol"].strings().toList()} ${prices.isNull(1)}")
    }
    Devices.cpu().batch(listOf(Trade(1.5, "a", 1), Trade(2.5, null))).use { println("rows: ${it.rows<Trade>()}") }
    val batches = listOf(made(2), made(3))
    val lengths = runBlocking {
        RecordBatchReader.of(batches[0].schema(), batches).asFlow().onEach {
            println("borrowed: ${it["id"].longs().toArray().toList()}")
        }.map { it.length() }.toList()
    }
    println("flow: $lengths")
}
