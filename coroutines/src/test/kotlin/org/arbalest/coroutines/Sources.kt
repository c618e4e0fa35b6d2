// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.flow.FlowCollector
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.PeerStreams
import org.arbalest.support.PeerStreams.Flavour
import java.lang.foreign.Arena

internal val IDS: Schema = Schema.of(Field.of("id", DataType.INT64))

/** Creates a batch of one row. */
internal fun batchOf(id: Long): RecordBatch = Devices.cpu().batch(1) { int64("id", longArrayOf(id)) }

/** Emits a batch of one row, and closes it. */
internal suspend fun FlowCollector<RecordBatch>.lend(id: Long): Unit = batchOf(id).use { emit(it) }

/** The id of the first row. */
internal val RecordBatch.id: Long get() = column("id").longs()[0]

/** Creates a reader that takes its arrays from [next]. */
internal fun readerOf(onClose: () -> Unit = {}, next: () -> RecordBatch?): RecordBatchReader =
    RecordBatchReader.of(IDS, DeviceType.CPU, object : DeviceArrayReader.Source<RecordBatch> {
        override fun next(): RecordBatch? = next()

        override fun close() = onClose()
    })

/** Creates a reader of the batches 0 to [count] - 1. */
internal fun readerOf(count: Int, onClose: () -> Unit = {}): RecordBatchReader {
    var at = 0L
    return readerOf(onClose) { if (at < count) batchOf(at++) else null }
}

/** Imports a stream of the C peer. */
internal fun peerReader(
    batches: Long,
    rows: Long = 1,
    flavours: Set<Flavour> = emptySet(),
    at: Long = 0,
    code: Int = 0,
): RecordBatchReader =
    Arena.ofConfined().use { arena ->
        val stream = arena.allocate(ArrowArrayStreamStruct.LAYOUT)
        PeerStreams.stream(stream, batches, rows, flavours, at, code)
        CData.importStream(stream, CImport.DATA)
    }
