// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import kotlinx.coroutines.runBlocking
import org.arbalest.coroutines.*
import org.arbalest.device.*
import org.arbalest.device.c.*
import org.arbalest.device.monitoring.*
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

fun main() = runBlocking {
    Arena.ofConfined().use { arena ->
        val stream = ArrowArrayStreamStruct.allocate(arena) // the C struct that both sides use
        produce(stream)
        println("total: ${consume(stream)}")
        try {
            consume(stream) // a mistake: the first import has emptied the struct
        } catch (e: DeviceException) {
            println("error: ${e.message}")
        }
    }
    println("all released: ${ResourceCounters.now().isZero}")
}

fun produce(out: MemorySegment) {
    val trades = Devices.cpu().batch(rows = 3) {
        float64("price", doubleArrayOf(1.5, 2.0, 4.25))
        utf8("symbol", listOf("A", null, "C"))
    }
    println(trades)
    RecordBatchReader.of(trades.schema(), listOf(trades)).use { reader ->
        CData.exportStream(reader, out, CExport.DATA) // the consumer of the struct releases the stream
    } // close does nothing after an export; it is for the case that the export fails
}

suspend fun consume(input: MemorySegment): Double {
    var total = 0.0
    CData.importStream(input, CImport.DATA).asFlow().collect { batch ->
        val price = batch["price"].doubles()
        total += price.sum() // skips nulls; the flow closes the batch after this block
    }
    return total
}
