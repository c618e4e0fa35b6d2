// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.runBlocking
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.BenchmarkMode
import org.openjdk.jmh.annotations.Fork
import org.openjdk.jmh.annotations.Measurement
import org.openjdk.jmh.annotations.Mode
import org.openjdk.jmh.annotations.OperationsPerInvocation
import org.openjdk.jmh.annotations.OutputTimeUnit
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.Setup
import org.openjdk.jmh.annotations.State
import org.openjdk.jmh.annotations.TearDown
import org.openjdk.jmh.annotations.Warmup
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.util.concurrent.TimeUnit

/**
 * A benchmark of events. A batch of 10 columns on a GPU passes through the C interface: it is recorded, exported,
 * imported, waited for by a stream, and released. A coroutine that suspends, and a thread that sleeps in the runtime,
 * wait for a copy of 1 MiB. A backend's benchmark is a class that extends this one.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(1)
@State(Scope.Benchmark)
abstract class EventBenchmark protected constructor(private val gpu: CheckedGpu) {
    private lateinit var stream: DeviceStream
    private lateinit var other: DeviceStream
    private lateinit var batch: RecordBatch
    private lateinit var from: DeviceBuffer
    private lateinit var to: DeviceBuffer
    private lateinit var arena: Arena
    private lateinit var struct: MemorySegment

    /** Creates the batch. */
    @Setup
    fun open() {
        if (System.getProperty(gpu.driverProperty) != "driver") gpu.double.load()
        val device = Devices.device(gpu.types[0], 0)
        stream = device.createStream()
        other = device.createStream()
        batch = Batch(10, 80 * 1024, Devices.cpu().memory()).use { it.array.copyTo(device, stream) }
        batch.synchronize()
        from = device.allocate(1 shl 20)
        to = device.hostMemory().orElseThrow().allocate(1 shl 20)
        arena = Arena.ofShared()
        struct = arena.allocate(RawArrowDeviceArray.SIZE, 8)
    }

    /** Releases everything. */
    @TearDown
    fun close() {
        stream.synchronize()
        listOf(batch, from, to, stream, other, arena).forEach(AutoCloseable::close)
    }

    /** Exports and imports without an event, as for an array that is known to be ready. */
    @Benchmark
    fun exportImport(): Long {
        CData.exportArray(batch.retain(), struct, CExport.DEVICE)
        return CData.importArray(struct, CImport.DEVICE.schema(batch.schema())).use {
            other.waitFor(it)
            it.length()
        }
    }

    /** Records an event, makes another stream wait for it, and destroys it. */
    @Benchmark
    fun recordWait(): Long = stream.record().use {
        other.waitFor(it)
        it.handle()
    }

    /** Waits for copies in a coroutine. */
    @Benchmark
    @OperationsPerInvocation(WAITS)
    fun suspending(): Unit = runBlocking(Dispatchers.Default) {
        repeat(WAITS) {
            stream.copy(from, to)
            stream.record().use { gpu.await(it) }
        }
    }

    /** Waits for copies in a thread. */
    @Benchmark
    @OperationsPerInvocation(WAITS)
    fun blocking(): Unit = repeat(WAITS) {
        stream.copy(from, to)
        stream.record().use { it.synchronize() }
    }

    private companion object {
        const val WAITS = 200
    }
}
