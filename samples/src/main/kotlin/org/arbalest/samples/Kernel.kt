// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.arbalest.adbc.coroutines.queryFlow
import org.arbalest.coroutines.asFlow
import org.arbalest.coroutines.await
import org.arbalest.coroutines.get
import org.arbalest.coroutines.strings
import org.arbalest.device.ArrayData
import org.arbalest.device.Availability
import org.arbalest.device.Device
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.MemoryPool
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.Schema
import java.nio.file.Path
import java.util.Locale
import kotlin.time.DurationUnit.SECONDS
import kotlin.time.TimeSource

// DuckDB streams flights. Their columns are copied to a device while DuckDB computes the next ones. A kernel on the
// device counts the delays at each airport. The counts return as an array and are compared with the counts of the CPU.
// JOCL launches an OpenCL kernel (OpenClHistogram.kt). On an NVIDIA GPU, JCuda launches a PTX kernel, which the driver
// translates (CudaHistogram.kt).

/** A counter of delays on a device. */
internal interface Histogram : AutoCloseable {
    /**
     * Queues a batch of the columns `origin` (a dictionary) and `delay` on the device. The caller may close it
     * immediately.
     */
    fun add(batch: RecordBatch)

    /** Waits for all queued work. */
    fun synchronize()

    /** Returns the counts at each airport of the dictionary. It must be the last call before [close]. */
    suspend fun counts(airports: List<String>): Counts
}

/**
 * Counts the flights of a file on the first device of a type and on the CPU, and returns whether the results are equal.
 */
internal suspend fun histograms(
    duckdb: AdbcConnection,
    file: Path,
    type: DeviceType,
    histogram: (Device) -> Histogram,
): Boolean {
    duckdb.execute("CREATE VIEW flights AS ${selectFlights(file)}")
    duckdb.execute("CREATE TYPE airport AS ENUM (SELECT DISTINCT origin FROM flights ORDER BY origin)")
    val onCpu = CpuHistogram()
    duckdb.queryFlow(FLIGHTS).collect { onCpu.add(it) }
    val expected = onCpu.counts()
    val device = first(type)
    val started = device?.let { start(it, histogram) }
    if (started == null) {
        println(expected.table())
        return true
    }
    started.use { onDevice ->
        val start = TimeSource.Monotonic.markNow()
        val rows = duckdb.query(FLIGHTS).addTo(onDevice, device)
        val counts = onDevice.counts(expected.airports)
        println("%,d flights, %,.0f rows per second, on %s".format(Locale.ROOT, rows,
            rows / start.elapsedNow().toDouble(SECONDS), device))
        println(counts.table())
        val equal = counts == expected
        println(if (equal) "${counts.airports.size} airports: matches the CPU's own answer"
        else "the CPU's own answer differs")
        return equal
    }
}

private const val FLIGHTS = "SELECT origin::airport AS origin, delay FROM flights"

/** Copies batches to a device, at most two ahead of the kernel, into pooled memory, and returns the number of rows. */
private suspend fun RecordBatchReader.addTo(
    histogram: Histogram,
    device: Device,
): Long = device.createStream().use { copies ->
    MemoryPool.of(device.memory(), POOL_BYTES).use { pool ->
        var rows = 0L
        var queued = 0
        copyTo(pool, copies, 2).asFlow().collect { batch ->
            histogram.add(batch)
            rows += batch.length()
            // without this, a query that is faster than the kernels would fill the pool
            if (++queued % MAX_QUEUED == 0) histogram.synchronize()
        }
        rows
    }
}

private const val POOL_BYTES = 1L shl 30
private const val MAX_QUEUED = 64

private fun first(type: DeviceType): Device? = when (val answer = Devices.availability(type)) {
    is Availability.Ready -> Devices.device(type, 0)
    is Availability.Missing -> null.also { println("No $type, because ${answer.reason()}: counting on the CPU alone.") }
}

/** Returns null and prints a message if the library that launches kernels has no native libraries. */
private fun start(device: Device, histogram: (Device) -> Histogram): Histogram? = try {
    histogram(device)
} catch (e: LinkageError) {
    null.also {
        println(
            "No kernels on $device, because ${e.message.orEmpty().lineSequence().first()}: counting on the CPU alone.",
        )
    }
}

/**
 * Exports [counts] as an array of the device, with a list for each airport, after the stream's earlier work, and copies
 * it to the CPU. Without a buffer, all counts are zero.
 */
internal suspend fun fetchCounts(airports: List<String>, counts: DeviceBuffer?, stream: DeviceStream): Counts {
    if (counts == null) return Counts(airports, List(airports.size * BINS) { 0 })
    val rows = airports.size.toLong()
    val field = Field.of("delays", FixedSizeListType(Field.of("count", DataType.INT32), BINS))
    val numbers = ArrayData.of(rows * BINS, 0, listOf(null, counts))
    val lists = ArrayData.of(rows, 0, listOf(null), listOf(numbers))
    val result =
        RecordBatch.of(Schema.of(listOf(field)), ArrayData.of(rows, 0, listOf(null), listOf(lists)), stream)
    return result.use { it.copyTo(Devices.cpu(), stream) }.use { here ->
        here.await()
        Counts(airports, here["delays"].items().toLongArray().map { it.toInt() })
    }
}

/** Allocates [BINS] zeroes for each airport on the stream's device. */
internal fun zeroCounts(
    airports: Long,
    stream: DeviceStream,
): DeviceBuffer = stream.device().allocate(4L * BINS * airports).also { zeroed ->
    Devices.cpu().allocate(zeroed.size()).use { zeroes ->
        zeroes.segment().fill(0)
        stream.copy(zeroes, zeroed)
    }
}

/** The number of flights at each airport in classes of delay. */
internal data class Counts(val airports: List<String>, val delays: List<Int>) {
    fun table(): String {
        val rows = airports.mapIndexed { i, airport ->
            val bins = delays.subList(i * BINS, (i + 1) * BINS)
            listOf(airport, bins.sum().toLong(), bins.bars())
        }
        return table(rows.sortedByDescending { it[1] as Long }.take(10), "origin", "flights",
            "delays from -30 to +195 minutes")
    }

    private fun List<Int>.bars(): String = joinToString("") {
        BARS[it * (BARS.length - 1) / max().coerceAtLeast(1)].toString()
    }

    private companion object {
        const val BARS = " \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
    }
}

/**
 * The number of classes of delay. Each is 15 minutes wide, and the first starts at -30 minutes. The first and the last
 * class also contain all delays beyond them.
 */
internal const val BINS = 16
internal const val FIRST_BIN = -30
internal const val BIN_MINUTES = 15

/** A counter of delays on the CPU. */
internal class CpuHistogram {
    private var airports = listOf<String>()
    private var counts = IntArray(0)

    fun add(batch: RecordBatch) {
        val origins = batch["origin"]
        if (counts.isEmpty()) {
            airports = origins.dictionary().strings().map { it!! }
            counts = IntArray(airports.size * BINS)
        }
        val airport = origins.indices().toLongArray()
        val delays = batch["delay"].toLongArray()
        for (row in delays.indices) {
            val bin = Math.floorDiv(delays[row] - FIRST_BIN, BIN_MINUTES.toLong()).coerceIn(0, BINS - 1L)
            counts[airport[row].toInt() * BINS + bin.toInt()]++
        }
    }

    fun counts(): Counts = Counts(airports, counts.toList())
}
