// SPDX-License-Identifier: Apache-2.0
package app

import org.arbalest.coroutines.*
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import java.lang.foreign.Arena

/** Passes batches to C and back, and collects them as a flow. */
suspend fun main() {
    println("total ${total(1.5, 2.5, 38.0)}")
    println("from ${RecordBatch::class.java.protectionDomain.codeSource.location}")
}

suspend fun total(vararg prices: Double): Double = Arena.ofShared().use { arena ->
    val stream = arena.allocate(ArrowArrayStreamStruct.LAYOUT)
    val batch = Devices.cpu().batch(rows = prices.size) { float64("price", prices) }
    CData.exportStream(RecordBatchReader.of(batch.schema(), listOf(batch)), stream, CExport.DATA)
    var total = 0.0
    CData.importStream(stream, CImport.DATA).asFlow().collect { received ->
        val price = received["price"].doubles()
        for (row in price.indices) total += price[row]
    }
    total
}
