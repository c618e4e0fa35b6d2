// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.get
import org.arbalest.coroutines.int64
import org.arbalest.coroutines.longs
import org.arbalest.coroutines.utf8
import org.arbalest.coroutines.where
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.DuckDbDriver
import org.arbalest.device.types.DataType
import org.arbalest.spark.AdbcSource
import org.arbalest.spark.ColumnTask
import org.arbalest.spark.kotlin.arbalest
import org.arbalest.spark.kotlin.mapColumns
import java.nio.file.Path
import java.util.TreeMap
import kotlin.system.exitProcess

// Two Spark executors query DuckDB for the flights, each for some of eight parts. A kernel on the executor's device
// counts the flights of each airport, and those that were late. Spark sums up the parts and joins them with a table of
// names. DuckDB alone must compute the same numbers.

fun main(): Unit = exitProcess(if (flightsOnSpark(SampleData.flights()).isDuckDbs) 0 else 1)

/**
 * Whether Spark and DuckDB have the same counts, of all airports and of the joined ones, and the devices that counted.
 */
internal data class Answer(val isDuckDbs: Boolean, val devices: Set<String>)

internal fun flightsOnSpark(file: Path): Answer = session().use { spark ->
    val flights = spark.read().arbalest<AdbcSource>(
        "driver" to DuckDbDriver.library(), "entrypoint" to DuckDbDriver.ENTRY_POINT, "database.path" to ":memory:",
        "query" to selectNumbered(file), "partitionColumn" to "row", "lowerBound" to 0, "upperBound" to 400_000,
        "numPartitions" to 8,
    ).select("airport", "delay")
    val parts = flights.mapColumns("origin" to DataType.UTF8, "flights" to DataType.INT64, "late" to DataType.INT64,
        "device" to DataType.UTF8, function = ::counted)
    val airports = parts.groupBy("origin", "device").sum("flights", "late")
        .toDF("origin", "device", "flights", "late").cache()
    airports.createOrReplaceTempView("airports")
    val joined = spark.sql(JOINED)
    joined.show(false)
    val ours = airports.counts()
    val own = DuckDbDriver.open().use { database ->
        database.connect().use { it.query(ownAnswer(file)).use { rows -> rows.counts() } }
    }
    val isSame = ours == own && joined.counts() == own.filterKeys { it in NAMES }
    println(if (isSame) "${ours.size} airports: matches DuckDB's own answer" else "DuckDB's own answer differs")
    Answer(isSame, airports.select("device").distinct().collectAsList().map { it.getString(0) }.toSet())
}

/** Starts two executors in separate JVMs on this host. */
private fun session(): SparkSession = SparkSession.builder()
    .master("local-cluster[2,1,1024]")
    .appName("flights")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.host", "127.0.0.1")
    .config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.executorEnv.SPARK_SCALA_VERSION", "2.13")
    .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
    .config("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC") // as Launcher.java says
    .config("spark.sql.shuffle.partitions", "4")
    .getOrCreate()

/** The number of an airport, computed from its three letters. */
private const val AIRPORT = "(ord(origin[1]) - 65) * 676 + (ord(origin[2]) - 65) * 26 + ord(origin[3]) - 65"

private fun selectNumbered(file: Path) = """
    SELECT file_row_number AS row, ($AIRPORT)::INTEGER AS airport, delay::BIGINT AS delay
    FROM read_parquet('${literal(file)}', file_row_number = true) WHERE origin IS NOT NULL AND delay IS NOT NULL
"""

private fun ownAnswer(file: Path) = """
    SELECT origin, count(*) AS flights, count(*) FILTER (delay > $LATE_MINUTES) AS late
    FROM read_parquet('${literal(file)}') WHERE origin IS NOT NULL AND delay IS NOT NULL GROUP BY origin
"""

private fun literal(file: Path) = "$file".replace("'", "''")

private val NAMES =
    mapOf("ATL" to "Atlanta", "DFW" to "Dallas", "LAX" to "Los Angeles", "ORD" to "Chicago", "PHX" to "Phoenix")

private val JOINED = """
    SELECT origin, name, flights, late, round(100 * late / flights, 1) AS percent, device
    FROM airports JOIN VALUES ${NAMES.entries.joinToString { (origin, name) -> "('$origin', '$name')" }}
    AS names(origin, name) USING (origin) ORDER BY flights DESC
"""

internal const val AIRPORTS = 26 * 26 * 26
internal const val LATE_MINUTES = 15

/**
 * Counts the flights and late flights of each airport in one part, on the task's device if that has OpenCL. The column
 * `device` says where they were counted.
 */
private fun counted(task: ColumnTask, columns: RecordBatchReader): RecordBatchReader {
    val device = task.device()
    val counts = if (device.type() == DeviceType.OPENCL) LateKernel(task).use { it.count(columns) } else onCpu(columns)
    val there = (0 until AIRPORTS).filter { counts[2 * it] > 0 }
    val batch = Devices.cpu().batch(there.size) {
        utf8("origin", there.map(::letters))
        int64("flights", LongArray(there.size) { counts[2 * there[it]].toLong() })
        int64("late", LongArray(there.size) { counts[2 * there[it] + 1].toLong() })
        utf8("device", there.map { device.type().name() })
    }
    return RecordBatchReader.of(batch.schema(), listOf(batch))
}

private fun letters(airport: Int) = "${'A' + airport / 676}${'A' + airport / 26 % 26}${'A' + airport % 26}"

private fun onCpu(columns: RecordBatchReader): IntArray {
    val counts = IntArray(2 * AIRPORTS)
    columns.forEach { batch ->
        batch.countAirports(counts, at = 0)
        val late = batch["delay"].longs().where { it > LATE_MINUTES }
        batch.filter(late).use { it.countAirports(counts, at = 1) }
    }
    return counts
}

/** Counts the rows of each airport, at a position of the airport's two counts. */
private fun RecordBatch.countAirports(counts: IntArray, at: Int) {
    for (airport in this["airport"].toLongArray()) counts[2 * airport.toInt() + at]++
}

private fun Dataset<Row>.counts(): Map<String, Pair<Long, Long>> = select("origin", "flights", "late").collectAsList()
    .associateTo(TreeMap()) { it.getString(0) to (it.getLong(1) to it.getLong(2)) }

private fun RecordBatchReader.counts(): Map<String, Pair<Long, Long>> {
    val all = TreeMap<String, Pair<Long, Long>>()
    forEach { batch ->
        val (origins, flights, late) = List(3) { batch.column(it) }
        for (row in 0 until batch.length()) all[origins.getString(row)!!] = flights.getLong(row) to late.getLong(row)
    }
    return all
}
