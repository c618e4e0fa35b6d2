// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.*
import org.arbalest.device.*
import org.arbalest.device.abi.ArrowArrayStreamStruct
import java.lang.foreign.Arena

/** A complete program in Kotlin, for the README: a batch goes through a C struct, by its address, and comes back. */

fun main(): Unit = Arena.ofConfined().use { arena ->
    val stream = ArrowArrayStreamStruct.allocate(arena).address() // what arrow-java, DuckDB, Python and C take
    produce(stream, doubleArrayOf(1.5, 2.0, 4.25), listOf("A", null, "C"))
    println(runBlocking { total(stream) }) // 7.75
}

fun produce(stream: Long, prices: DoubleArray, symbols: List<String?>) {
    val trades = Devices.cpu().batch {
        float64("price", prices)
        utf8("symbol", symbols)
    }
    DeviceArrayReader.of(trades.schema(), listOf(trades)).use { reader ->
        reader.exportStream(stream) // whoever has the struct has the batch now, without a copy, and releases it
    }
}

suspend fun total(stream: Long): Double {
    var total = 0.0
    DeviceArrayReader.importStream(stream).asFlow().collect { batch -> // of ours, or of anybody's
        val price = batch["price"].doubles()
        for (row in price.indices) total += price[row] // lent: closed after this block
    }
    return total
}
