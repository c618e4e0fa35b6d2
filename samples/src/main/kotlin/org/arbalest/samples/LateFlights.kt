// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import kotlinx.coroutines.flow.firstOrNull
import kotlinx.coroutines.flow.map
import org.arbalest.adbc.coroutines.awaitExecute
import org.arbalest.adbc.coroutines.awaitQuery
import org.arbalest.adbc.coroutines.queryFlow
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.filterRows
import org.arbalest.coroutines.float64
import org.arbalest.coroutines.get
import org.arbalest.coroutines.longs
import org.arbalest.coroutines.rebatch
import org.arbalest.coroutines.retainChild
import org.arbalest.coroutines.where
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcConnection
import java.nio.file.Path
import java.util.Locale

private const val VERY_LATE = 120L
private const val LATEST = 10

/**
 * Prints the ten latest flights of a Parquet file, and returns whether DuckDB has the same. DuckDB reads the file; this
 * function keeps, orders and extends the rows on its columns.
 */
internal suspend fun lateFlights(duckdb: AdbcConnection, file: Path): Boolean {
    duckdb.awaitExecute("CREATE VIEW flights AS ${selectFlights(file)}")
    val late = duckdb.queryFlow("SELECT * FROM flights")
        .filterRows { batch -> batch["delay"].longs().where { it >= VERY_LATE } }
        .rebatch(Long.MAX_VALUE) // one batch
        .map { it.retain() }.firstOrNull()
    if (late == null) {
        println("no flight is $VERY_LATE minutes late")
        return own(duckdb).isEmpty()
    }
    val latest = late.use { batch ->
        println("%,d flights are %d minutes late or more".format(Locale.ROOT, batch.length(), VERY_LATE))
        batch.latest().use { it.withHours() }
    }
    val rows = RecordBatchReader.of(latest.schema(), listOf(latest)).rows()
    println(table(rows, "origin", "minutes", "distance", "hours"))
    val isSame = rows.map { it[1] } == own(duckdb)
    println(if (isSame) "the delays match DuckDB's own answer" else "the delays differ from DuckDB's own answer")
    return isSame
}

private suspend fun own(duckdb: AdbcConnection): List<Any?> =
    duckdb.awaitQuery("SELECT delay FROM flights WHERE delay >= $VERY_LATE ORDER BY delay DESC LIMIT $LATEST").rows()
        .map { it.single() }

/** Returns the rows with the longest delays, the longest first. */
private fun RecordBatch.latest(): RecordBatch {
    val delays = this["delay"].longs()
    return take(*delays.indices.sortedByDescending { delays[it] }.take(LATEST).toIntArray())
}

/** Returns this batch with its delay under another name, and with a column of hours. */
private fun RecordBatch.withHours(): RecordBatch {
    val delays = this["delay"].longs()
    val hours = Devices.cpu().batch(delays.size) { float64("hours") { delays[it] / 60.0 } }
        .use { it.retainChild("hours") }
    return hours.use { column -> rename("delay", "minutes").use { it.withColumn("hours", column) } }
}
