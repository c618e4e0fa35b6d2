// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.*
import org.arbalest.device.*
import org.arbalest.device.c.*
import org.arbalest.device.monitoring.*
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

fun main() {
    Arena.ofConfined().use { arena ->
        val stream = ArrowArrayStreamStruct.allocate(arena) // the struct that both sides know
        produce(stream)
        println("total: ${runBlocking { consume(stream) }}")
    }
    println("all released: ${ResourceCounters.now().isZero}")
}

fun produce(out: MemorySegment) {
    val trades = Devices.cpu().batch(rows = 3) {
        float64("price", doubleArrayOf(1.5, 2.0, 4.25))
        utf8("symbol", listOf("A", null, "C"))
    }
    println(trades)
    DeviceArrayReader.of(trades.schema(), listOf(trades)).use { reader ->
        CData.exportStream(reader, out, CExport.DATA) // whoever has the struct owns the stream now, and releases it
    }
}

suspend fun consume(input: MemorySegment): Double {
    var total = 0.0
    CData.importStream(input, CImport.DATA).asFlow().collect { batch ->
        val price = batch["price"].doubles()
        total += price.sum() // without the nulls; the batch is lent, and closed after this block
    }
    return total
}
