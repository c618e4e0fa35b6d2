// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.arbalest.adbc.coroutines.awaitExecute
import org.arbalest.adbc.coroutines.awaitQuery
import org.arbalest.adbc.coroutines.queryFlow
import org.arbalest.coroutines.LendingFlow
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.float64
import org.arbalest.coroutines.get
import org.arbalest.coroutines.int64
import org.arbalest.coroutines.longs
import org.arbalest.coroutines.strings
import org.arbalest.coroutines.utf8
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.adbc.AdbcIngest
import org.arbalest.device.adbc.AdbcIngest.Mode
import org.knowm.xchart.BitmapEncoder
import org.knowm.xchart.BitmapEncoder.BitmapFormat
import org.knowm.xchart.CategoryChartBuilder
import java.awt.Color
import java.nio.file.Path
import java.util.Locale
import kotlin.io.path.outputStream
import kotlin.time.Duration
import kotlin.time.DurationUnit.SECONDS
import kotlin.time.measureTimedValue

/**
 * Sums up the flights of a Parquet file by airport, [times] times, and returns whether DuckDB computes the same result.
 * DuckDB reads the file and exports its columns without a copy. The sums return to DuckDB in the same way, as a table
 * for SQL.
 */
internal suspend fun flights(duckdb: AdbcConnection, file: Path, times: Int, chart: Path?): Boolean {
    duckdb.awaitExecute("CREATE VIEW flights AS ${selectFlights(file)}")
    repeat(times) {
        val (summary, time) = measureTimedValue { duckdb.queryFlow("SELECT * FROM flights").summary() }
        println(summary.report(time))
        duckdb.ingest(AdbcIngest.into("airports").with(Mode.REPLACE), summary.airports.toBatch())
    }
    val busiest = duckdb.awaitQuery("SELECT * FROM airports ORDER BY flights DESC, origin LIMIT 10").rows()
    println(table(busiest, "origin", "flights", "mean_delay", "mean_distance"))
    if (chart != null) busiest.saveAsChart(chart)
    val (all, equal) = duckdb.awaitQuery(COMPARISON).rows().single().map { it as Long }
    println(if (equal == all) "$all airports: matches DuckDB's own answer"
    else "${all - equal} of $all airports differ from it")
    return equal == all
}

/** Sums up the flights of the stream. Each batch is borrowed: it returns to DuckDB when the block ends. */
private suspend fun LendingFlow<RecordBatch>.summary(): Summary {
    val airports = HashMap<String, Airport>()
    var batches = 0
    progress("flights", most = -1, unit = "flights") { bar ->
        collect { batch ->
            val origins = batch["origin"].strings()
            val delays = batch["delay"].longs()
            val distances = batch["distance"].longs()
            for (row in origins.indices) {
                val airport = airports.getOrPut(origins[row]) { Airport(origins[row]) }
                airport.flights++
                airport.delay += delays[row]
                airport.distance += distances[row]
            }
            batches++
            bar?.stepBy(batch.length())
        }
    }
    return Summary(airports.values, batches)
}

/** Returns the airports as Arrow columns. */
private fun Collection<Airport>.toBatch(): RecordBatch {
    val airports = toList()
    return Devices.cpu().batch(rows = size) {
        utf8("origin") { airports[it].origin }
        int64("flights") { airports[it].flights }
        float64("mean_delay") { airports[it].delay.toDouble() / airports[it].flights }
        float64("mean_distance") { airports[it].distance.toDouble() / airports[it].flights }
    }
}

/** Draws a bar for the flights and a bar for the mean delay of each airport in rows of the table `airports`. */
private fun List<List<Any?>>.saveAsChart(file: Path) {
    val origins = map { it[0] as String }
    val flights = CategoryChartBuilder().title("Flights").width(700).height(400).build()
    flights.addSeries("flights", origins, map { it[1] as Long })
    val delays = CategoryChartBuilder().title("Mean delay in minutes").width(700).height(400).build()
    delays.addSeries("minutes", origins, map { it[2] as Double })
    for (chart in listOf(flights, delays)) {
        chart.styler.isLegendVisible = false
        chart.styler.chartBackgroundColor = Color.WHITE
        chart.styler.xAxisTickMarkSpacingHint = 40 // so that each bar has its label
    }
    file.outputStream().use { BitmapEncoder.saveBitmap(listOf(flights, delays), 2, 1, it, BitmapFormat.PNG) }
    println("drawn: $file")
}

private class Airport(val origin: String) {
    var flights = 0L
    var delay = 0L
    var distance = 0L
}

private class Summary(val airports: Collection<Airport>, val batches: Int) {
    fun report(time: Duration): String {
        val rows = airports.sumOf { it.flights }
        return "%,d flights in %,d batches: %,.0f rows per second".format(Locale.ROOT, rows, batches,
            rows / time.toDouble(SECONDS))
    }
}
