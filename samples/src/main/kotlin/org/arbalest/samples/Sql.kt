package org.arbalest.samples

import com.github.freva.asciitable.AsciiTable
import com.github.freva.asciitable.Column
import com.github.freva.asciitable.HorizontalAlign
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import org.arbalest.coroutines.asFlow
import org.arbalest.coroutines.names
import org.arbalest.device.DeviceArrayReader
import java.nio.file.Path
import java.util.Locale

/** The columns of interest, where all of them are known. */
internal fun selectFlights(file: Path): String {
    val literal = file.toString().replace("'", "''")
    return """
        SELECT origin, delay::BIGINT AS delay, distance::BIGINT AS distance FROM read_parquet('$literal')
        WHERE origin IS NOT NULL AND delay IS NOT NULL AND distance IS NOT NULL
    """
}

/** Our table `airports` beside DuckDB's own answer: how many airports there are, and how many of them are the same. */
internal const val COMPARISON = """
    SELECT count(*), count(*) FILTER (
        ours.flights = own.flights
        AND abs(ours.mean_delay - own.mean_delay) <= 1e-12 * greatest(abs(own.mean_delay), 1)
        AND abs(ours.mean_distance - own.mean_distance) <= 1e-12 * greatest(abs(own.mean_distance), 1))
    FROM airports AS ours FULL JOIN (
        SELECT origin, count(*) AS flights, avg(delay) AS mean_delay, avg(distance) AS mean_distance
        FROM flights GROUP BY origin) AS own USING (origin)
"""

/** The rows of a small result. */
internal suspend fun DeviceArrayReader.rows(): List<List<Any?>> = asFlow().map { batch ->
    val columns = batch.schema().fields().indices.map { batch.column(it) }
    (0 until batch.length()).map { row -> columns.map { it[row] } }
}.toList().flatten()

/** A small result, to be printed. */
internal suspend fun DeviceArrayReader.table(): String {
    val columns = schema().names.mapIndexed { i, name ->
        val align = if (i == 0) HorizontalAlign.LEFT else HorizontalAlign.RIGHT
        Column().header(name).headerAlign(align).dataAlign(align).with { row: List<Any?> -> row[i].formatted() }
    }
    return AsciiTable.builder().border(AsciiTable.BASIC_ASCII_NO_DATA_SEPARATORS).data(rows(), columns).asString()
}

private fun Any?.formatted(): String = when (this) {
    is Double -> "%,.2f".format(Locale.ROOT, this)
    is Long -> "%,d".format(Locale.ROOT, this)
    else -> toString()
}
