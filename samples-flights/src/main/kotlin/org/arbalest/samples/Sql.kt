// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import org.arbalest.coroutines.asFlow
import org.arbalest.device.RecordBatchReader
import java.nio.file.Path

/** Returns a query for origin, delay and distance in the rows where all three are known. */
fun selectFlights(file: Path): String {
    val literal = file.toString().replace("'", "''")
    return """
        SELECT origin, delay::BIGINT AS delay, distance::BIGINT AS distance FROM read_parquet('$literal')
        WHERE origin IS NOT NULL AND delay IS NOT NULL AND distance IS NOT NULL
    """
}

/** Compares the table `airports` with DuckDB's own answer: the number of airports, and the number of equal ones. */
const val COMPARISON = """
    SELECT count(*), count(*) FILTER (
        ours.flights = own.flights
        AND abs(ours.mean_delay - own.mean_delay) <= 1e-12 * greatest(abs(own.mean_delay), 1)
        AND abs(ours.mean_distance - own.mean_distance) <= 1e-12 * greatest(abs(own.mean_distance), 1))
    FROM airports AS ours FULL JOIN (
        SELECT origin, count(*) AS flights, avg(delay) AS mean_delay, avg(distance) AS mean_distance
        FROM flights GROUP BY origin) AS own USING (origin)
"""

/** Returns the rows of a small result. */
suspend fun RecordBatchReader.rows(): List<List<Any?>> = asFlow().map { batch ->
    val columns = batch.schema().fields().indices.map { batch.column(it) }
    (0 until batch.length()).map { row -> columns.map { it[row] } }
}.toList().flatten()
