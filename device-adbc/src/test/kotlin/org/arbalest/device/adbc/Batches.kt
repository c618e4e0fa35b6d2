// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc

import org.arbalest.coroutines.batch
import org.arbalest.coroutines.int64
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import java.io.IOException
import java.util.concurrent.CountDownLatch

val IDS: Schema = Schema.of(Field.of("id", DataType.INT64))

fun ids(vararg ids: Long): RecordBatch = Devices.cpu().batch(ids.size) { int64("id", ids) }

/** Returns a reader of batches with one row each. */
fun reader(vararg ids: Long): RecordBatchReader = RecordBatchReader.of(IDS, ids.map { ids(it) })

/** Returns a reader that fails after one batch. */
fun failing(): RecordBatchReader {
    var pulls = 0
    return RecordBatchReader.of(IDS) { if (pulls++ == 0) ids(1) else throw IOException("the tape tore") }
}

/** A source whose `next` waits until the source is cancelled or [gate] is opened. */
class WaitingSource : DeviceArrayReader.Source<RecordBatch> {
    val entered: CountDownLatch = CountDownLatch(1)
    val gate: CountDownLatch = CountDownLatch(1)

    override fun next(): RecordBatch? {
        entered.countDown()
        gate.await()
        return null
    }

    override fun cancel(): Unit = gate.countDown()
}
