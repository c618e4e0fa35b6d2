// SPDX-License-Identifier: Apache-2.0
package org.arbalest.adbc.coroutines

import kotlinx.coroutines.Job
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.int64
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcDatabase
import org.arbalest.device.adbc.AdbcDriver
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.adbc.FaultyDriver
import kotlin.time.Duration.Companion.seconds

internal val c: FaultyDriver get() = FaultyDriver.full

internal val IDS = Schema.of(Field.of("id", DataType.INT64))

internal fun ids(vararg ids: Long): RecordBatch = Devices.cpu().batch(ids.size) { int64("id", ids) }

internal fun reader(vararg ids: Long): RecordBatchReader = RecordBatchReader.of(IDS, ids.map { ids(it) })

internal fun RecordBatch.ids(): List<Long> = column("id").toLongArray().toList()

internal suspend fun AdbcConnection.count(table: String = "t"): Long =
    awaitQuery("SELECT COUNT(*) FROM $table").use { reader -> reader.next()!!.use { it.column(0).getLong(0) } }

/** Runs [block] with a database of the simulated driver, then lets all held calls go, even if [block] fails. */
internal suspend fun opened(
    block: suspend (AdbcDatabase) -> Unit,
) = AdbcDriver.load(c.file).open(mapOf<String, Any>()).use { database ->
    try {
        block(database)
    } finally {
        c.letGo()
    }
}

/** Runs [block] with a connection of the simulated driver; see [opened]. */
internal suspend fun connected(block: suspend (AdbcConnection) -> Unit) = opened { database ->
    database.connect().use {
        try {
            block(it)
        } finally {
            c.letGo()
        }
    }
}

/** Waits until the driver holds [count] calls. */
internal suspend fun awaitHeld(count: Int = 1) = withTimeout(5.seconds) {
    while (c.held < count) yield()
}

/** Returns whether this job ends within five seconds, so that a failing test does not hang. */
internal suspend fun Job.ends(): Boolean = withTimeoutOrNull(5.seconds) { join() } != null
