// SPDX-License-Identifier: Apache-2.0
package org.arbalest.ipc.coroutines

import kotlinx.coroutines.Job
import kotlinx.coroutines.withTimeoutOrNull
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.int64
import org.arbalest.coroutines.lendingFlow
import org.arbalest.coroutines.utf8
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.ipc.ArrowWriter
import org.arbalest.device.ipc.IpcWriteOptions
import java.io.ByteArrayOutputStream
import java.nio.file.Path
import kotlin.io.path.listDirectoryEntries
import kotlin.io.path.name
import kotlin.time.Duration.Companion.seconds

internal fun trades(vararg ids: Long): RecordBatch = Devices.cpu().batch(ids.size) {
    int64("id", ids)
    utf8("symbol") { "s${ids[it]}" }
}

internal val SCHEMA = trades(0).use { it.schema() }

/** A flow of three batches. */
internal fun trades() = lendingFlow {
    emit(trades(1, 2))
    emit(trades(3))
    emit(trades(4, 5, 6))
}

internal val IDS = listOf(listOf(1L, 2L), listOf(3L), listOf(4L, 5L, 6L))

internal fun RecordBatch.ids(): List<Long> = column("id").toLongArray().toList()

/** The size of a stream's end mark. */
internal const val END_MARK = 8

/** The bytes of a stream with these batches. */
internal fun streamBytes(vararg batches: RecordBatch): ByteArray = ByteArrayOutputStream().also {
    ArrowWriter.writeStream(it, RecordBatchReader.of(SCHEMA, batches.asList()), IpcWriteOptions.defaults())
}.toByteArray()

internal fun Path.files(): List<String> = listDirectoryEntries().map { it.name }

/** Returns whether this job ends within five seconds, so that a failing test does not hang. */
internal suspend fun Job.ends(): Boolean = withTimeoutOrNull(5.seconds) { join() } != null
