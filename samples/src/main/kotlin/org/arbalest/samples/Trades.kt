// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.*
import org.arbalest.device.*
import org.arbalest.device.c.*
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/** A complete program in Kotlin, for the README: a batch goes through a C struct, by its address, and comes back. */

fun main(): Unit = Arena.ofConfined().use { arena ->
    val stream = ArrowArrayStreamStruct.allocate(arena) // by its address() arrow-java, DuckDB, Python and C know it
    produce(stream, doubleArrayOf(1.5, 2.0, 4.25), listOf("A", null, "C"))
    println(runBlocking { total(stream) }) // 7.75
}

fun produce(stream: MemorySegment, prices: DoubleArray, symbols: List<String?>) {
    val trades = Devices.cpu().batch {
        float64("price", prices)
        utf8("symbol", symbols)
    }
    DeviceArrayReader.of(trades.schema(), listOf(trades)).use { reader ->
        // the struct holds the batch now, without a copy; its consumer releases it
        CData.exportStream(reader, stream, CExport.DATA)
    }
}

suspend fun total(stream: MemorySegment): Double {
    var total = 0.0
    CData.importStream(stream, CImport.DATA).asFlow().collect { batch -> // from any producer
        val price = batch["price"].doubles()
        total += price.sum() // without the nulls; the batch is lent, and closed after this block
    }
    return total
}
