// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import org.arbalest.coroutines.asFlow
import org.arbalest.coroutines.await
import org.arbalest.coroutines.get
import org.arbalest.coroutines.strings
import org.arbalest.device.ArrayData
import org.arbalest.device.DataType
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.Field
import org.arbalest.device.NestedType.FixedSizeListType
import org.arbalest.device.Schema
import org.arbalest.device.abi.DeviceType
import org.arbalest.device.adbc.AdbcConnection
import org.arbalest.device.spi.Availability
import java.nio.file.Path
import java.util.Locale
import kotlin.time.DurationUnit.SECONDS
import kotlin.time.TimeSource

// DuckDB streams flights, whose columns are copied to a device as they come; a kernel there counts the delays at each airport; the counts come
// back as an array, and are compared with the CPU's own. The kernel is OpenCL's, launched by JOCL (OpenClHistogram.kt), or, on a GPU of NVIDIA's,
// PTX, which the driver translates, launched by JCuda (CudaHistogram.kt).

/** Counts on a device. */
internal interface Histogram : AutoCloseable {
    /** Queues a batch of `origin`, by dictionary, and `delay`, which may be closed at once. */
    fun add(batch: DeviceArray)

    /** The counts, which nobody can add to any more. */
    suspend fun counts(): Counts
}

/** Counts the flights of a file, on the first device of a type and on the CPU; whether both come to the same result. */
internal suspend fun histograms(duckdb: AdbcConnection, file: Path, type: DeviceType, histogram: (Device) -> Histogram): Boolean {
    duckdb.execute("CREATE VIEW flights AS ${selectFlights(file)}")
    duckdb.execute("CREATE TYPE airport AS ENUM (SELECT DISTINCT origin FROM flights ORDER BY origin)")
    val onCpu = CpuHistogram()
    val flights = duckdb.query("SELECT origin::airport AS origin, delay FROM flights")
    val device = first(type)
    val started = device?.let { start(it, histogram) }
    if (started == null) {
        flights.asFlow().collect { onCpu.add(it) }
        println(onCpu.counts().table())
        return true
    }
    started.use { onDevice ->
        val start = TimeSource.Monotonic.markNow()
        var rows = 0L
        flights.asFlow().collect { batch ->
            onDevice.add(batch)
            onCpu.add(batch)
            rows += batch.length()
        }
        val counts = onDevice.counts()
        println("%,d flights, %,.0f rows per second, on %s".format(Locale.ROOT, rows, rows / start.elapsedNow().toDouble(SECONDS), device))
        println(counts.table())
        val equal = counts == onCpu.counts()
        println(if (equal) "${counts.airports.size} airports: matches the CPU's own answer" else "the CPU's own answer differs")
        return equal
    }
}

private fun first(type: DeviceType): Device? = when (val answer = Devices.availability(type)) {
    is Availability.Ready -> Devices.device(type, 0)
    is Availability.Missing -> null.also { println("No $type, because ${answer.reason()}: counting on the CPU alone.") }
}

/** Null, and a message, where the library that launches kernels has no natives. */
private fun start(device: Device, histogram: (Device) -> Histogram): Histogram? = try {
    histogram(device)
} catch (e: LinkageError) {
    null.also { println("No kernels on $device, because ${e.message.orEmpty().lineSequence().first()}: counting on the CPU alone.") }
}

/** What is in [counts] when the stream has got here, as an array of the device's with a list for each airport; and that on the CPU. */
internal suspend fun fetchCounts(airports: List<String>, counts: DeviceBuffer, stream: DeviceStream): Counts {
    val rows = airports.size.toLong()
    val field = Field.of("delays", FixedSizeListType(Field.of("count", DataType.INT32), BINS))
    val numbers = ArrayData.of(rows * BINS, 0, listOf(null, counts))
    val lists = ArrayData.of(rows, 0, listOf(null), listOf(numbers))
    val result = DeviceArray.of(Schema.of(listOf(field)), ArrayData.of(rows, 0, listOf(null), listOf(lists)), stream)
    return result.use { it.copyTo(Devices.cpu(), stream) }.use { here ->
        here.await()
        Counts(airports, here["delays"].items().toLongArray().map { it.toInt() })
    }
}

/** [BINS] zeroes for each airport, on the stream's device. */
internal fun zeroCounts(airports: Int, stream: DeviceStream): DeviceBuffer = stream.device().allocate(4L * BINS * airports).also { zeroed ->
    Devices.cpu().allocate(zeroed.size()).use { zeroes ->
        zeroes.segment().fill(0)
        stream.copy(zeroes, zeroed)
    }
}

/** The delays at each airport, in classes of 15 minutes. */
internal data class Counts(val airports: List<String>, val delays: List<Int>) {
    fun table(): String {
        val rows = airports.mapIndexed { i, airport ->
            val bins = delays.subList(i * BINS, (i + 1) * BINS)
            listOf(airport, bins.sum().toLong(), bins.bars())
        }
        return table(rows.sortedByDescending { it[1] as Long }.take(10), "origin", "flights", "delays from -30 to +195 minutes")
    }

    private fun List<Int>.bars(): String = joinToString("") { BARS[it * (BARS.length - 1) / max().coerceAtLeast(1)].toString() }

    private companion object {
        const val BARS = " \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
    }
}

/** Classes of delay: from half an hour early, a quarter of an hour each; what is beyond is in the first and the last. */
internal const val BINS = 16
internal const val FIRST_BIN = -30
internal const val BIN_MINUTES = 15

/** Counts on the CPU. */
internal class CpuHistogram {
    private var airports = listOf<String>()
    private var counts = IntArray(0)

    fun add(batch: DeviceArray) {
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
