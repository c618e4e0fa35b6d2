// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import org.arbalest.coroutines.*
import org.arbalest.device.*
import org.arbalest.device.c.ArrowArrayStruct
import org.arbalest.device.c.ArrowSchemaStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.types.*
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.util.concurrent.atomic.LongAdder

// The Kotlin of docs/guides that stands alone. Each function is one snippet, or has it inside.

fun longOnes(reader: DeviceArrayReader, rows: Long): List<DeviceArray> = buildList {
    reader.useArrays { arrays ->
        // a second reference: the one that is lent is closed
        for (batch in arrays) if (batch.length() >= rows) add(batch.retain())
    }
} // the caller closes each

fun handOver(batch: DeviceArray, array: MemorySegment, schema: MemorySegment) {
    batch.retain().use { ours -> // without it, the batch could not be read any more
        // batch is consumed; C has its reference, and releases it
        CData.exportArray(batch, array, CExport.DATA.schemaTo(schema))
        println(ours)
    }
}

fun throughC(batch: DeviceArray): DeviceArray = Arena.ofConfined().use { arena ->
    val array = ArrowArrayStruct.allocate(arena)
    val schema = ArrowSchemaStruct.allocate(arena)
    CData.exportArray(batch, array, CExport.DATA.schemaTo(schema))
    CData.importArray(array, CImport.DATA.schema(schema)) // moved out: the structs may go, the columns stay
}

suspend fun largest(reader: DeviceArrayReader): DeviceArray? {
    var largest: DeviceArray? = null
    try {
        reader.asFlow().buffer(4).collect { batch -> // up to four are pulled ahead
            if (batch.length() > (largest?.length() ?: -1)) {
                largest?.close()
                largest = batch.retain()
            }
        }
    } catch (e: Throwable) {
        largest?.close()
        throw e
    }
    return largest // the caller closes it
}

suspend fun rowsOf(reader: DeviceArrayReader): Long {
    val rows = LongAdder()
    reader.asFlow().buffer(4).collectParallel(8) { batch -> rows.add(batch.length()) } // eight at a time, in any order
    return rows.sum()
}

suspend fun sums(reader: DeviceArrayReader): List<Double> =
    reader.asFlow().mapParallel(8) { batch -> batch["price"].doubles().sumOf { it ?: 0.0 } }.toList()

suspend fun eachOnce(reader: DeviceArrayReader, workers: Int, work: suspend (DeviceArray) -> Unit) {
    val queue = Channel<DeviceArray>(4, onUndeliveredElement = DeviceArray::close) // closes what nobody receives
    try {
        coroutineScope {
            repeat(workers) { launch(Dispatchers.Default) { for (batch in queue) batch.use { work(it) } } }
            reader.asFlow().collect { queue.send(it.retain()) }
            queue.close() // the workers end when it is empty
        }
    } finally {
        queue.cancel() // whatever a failure has left in it
    }
}

fun days(days: List<DoubleArray>): LendingFlow<DeviceArray> = lendingFlow {
    for (day in days) emit(Devices.cpu().batch { float64("price", day) }) // the flow's from here on, whatever happens
}

fun exportDays(days: List<DoubleArray>, schema: Schema, out: MemorySegment) {
    days(days).asReader(schema, context = Dispatchers.IO).use { CData.exportStream(it, out, CExport.DATA) }
}

fun doubled(batches: Flow<DeviceArray>): Flow<DeviceArray> = flow {
    batches.collect { batch ->
        val prices = batch["price"].doubles()
        Devices.cpu().batch(prices.size) { float64("price") { row -> prices[row] * 2 } }.use { emit(it) }
    }
}

suspend fun first(batch: DeviceArray, gpu: Device): Double =
    gpu.createStream().use { stream ->
        batch.copyTo(gpu, stream).use { there -> // queued; the copy waits for batch on the device
            there.copyTo(Devices.cpu(), stream).use { back ->
                back.await() // suspends; no thread waits
                back["price"].doubles()[0]
            }
        }
    }
