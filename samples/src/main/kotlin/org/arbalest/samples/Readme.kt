// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.arbalest.coroutines.*
import org.arbalest.device.*
import org.arbalest.device.DeviceType
import org.arbalest.device.async.*
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.types.*
import java.lang.foreign.MemorySegment

/** The Kotlin of the README: a batch goes to C, then a stream comes from C. The structs are C's. */
suspend fun readme(
    symbols: List<String?>,
    prices: DoubleArray,
    cArray: MemorySegment,
    cSchema: MemorySegment,
    cStream: () -> MemorySegment,
): Double {
    val trades = Devices.cpu().batch(rows = prices.size) {
        float64("price", prices)
        utf8("symbol") { row -> symbols[row] }
    }
    trades.use { CData.exportArray(it, cArray, CExport.DATA.schemaTo(cSchema)) } // C has it now, and releases it

    var total = 0.0
    CData.importStream(cStream(), CImport.DATA).asFlow().collect { batch ->
        val price = batch["price"].doubles()
        total += price.sum() // without the nulls; the batch is lent, and closed after this block
    }
    return total
}

/** The README's rows as objects. */
data class Trade(val price: Double, val symbol: String?)

fun dear(trades: List<Trade>): List<Trade> = Devices.cpu().batch(trades).use { batch ->
    println(batch) // as a table
    batch.rows<Trade>().filter { it.price > 1.75 }
}

/** The README's async streams: one that a C producer drives, and one of ours for a C consumer. */
suspend fun readmeAsync(
    days: List<DoubleArray>,
    schema: Schema,
    cStart: (MemorySegment) -> Unit,
    cHandler: () -> MemorySegment,
): Double {
    var total = 0.0
    CData.importAsyncStream(CImport.DEVICE) { handler -> cStart(handler) }.use { stream ->
        stream.asFlow(prefetch = 16).collect { batch -> total += batch["price"].doubles()[0] }
    }
    val prices = lendingFlow {
        // it is the flow's now, whatever happens
        for (day in days) emit(Devices.cpu().batch(day.size) { float64("price", day) })
    }
    prices.produceTo(cHandler(), schema) // returns when the consumer has released its handler
    return total
}

/** The README's device: there, and back. */
suspend fun readmeDevice(batch: DeviceArray) {
    val gpu = Devices.device(DeviceType.OPENCL, 0)
    gpu.createStream().use { stream ->
        batch.copyTo(gpu, stream).use { there -> // queued; waits for batch on the device
            there.copyTo(Devices.cpu(), stream).use { back ->
                back.await() // suspends; no thread waits
                println(back["price"].doubles()[0])
            }
        }
    }
}
