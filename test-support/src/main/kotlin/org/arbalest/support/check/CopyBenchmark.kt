// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.device.Device
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.MemoryManager
import org.arbalest.device.MemoryPool
import org.arbalest.device.RecordBatch
import org.openjdk.jmh.annotations.Benchmark
import org.openjdk.jmh.annotations.BenchmarkMode
import org.openjdk.jmh.annotations.Fork
import org.openjdk.jmh.annotations.Measurement
import org.openjdk.jmh.annotations.Mode
import org.openjdk.jmh.annotations.OutputTimeUnit
import org.openjdk.jmh.annotations.Param
import org.openjdk.jmh.annotations.Scope
import org.openjdk.jmh.annotations.Setup
import org.openjdk.jmh.annotations.State
import org.openjdk.jmh.annotations.TearDown
import org.openjdk.jmh.annotations.Warmup
import java.lang.foreign.MemorySegment
import java.util.concurrent.TimeUnit

/**
 * A benchmark of copies of int64 columns to a GPU and back, into pooled memory, until they are complete. It compares
 * them with one copy by the runtime, of as many bytes, from and to the same kind of main memory. At its end it verifies
 * one copy in each direction. A backend's benchmark is a class that extends this one.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(1)
@State(Scope.Benchmark)
abstract class CopyBenchmark protected constructor(private val gpu: CheckedGpu) {
    /** The number of columns. */
    @Param("1", "100")
    @JvmField
    var columns: Int = 0

    /** The kind of main memory of the columns. */
    @Param("pinned", "pageable")
    @JvmField
    var memory: String = ""

    /** The size of all columns, in MiB; 8 on a simulator. */
    @Param("256")
    @JvmField
    var mib: Int = 0

    private lateinit var device: Device
    private lateinit var stream: DeviceStream
    private lateinit var reference: Reference
    private lateinit var onDevice: MemoryPool
    private lateinit var onHost: MemoryPool
    private lateinit var here: Batch
    private lateinit var there: RecordBatch
    private lateinit var rawHere: DeviceBuffer
    private lateinit var rawThere: DeviceBuffer
    private var bytes = 0L

    /** Allocates the columns. */
    @Setup
    fun open() {
        val onDouble = System.getProperty(gpu.driverProperty) != "driver"
        if (onDouble) gpu.double.load()
        bytes = (if (onDouble) 8L else mib.toLong()) shl 20
        device = Devices.device(gpu.types[0], 0)
        stream = device.createStream()
        gpu.raw().enter()
        reference = Reference(gpu.raw(), stream.handle(), null)
        val host: MemoryManager = if (memory == "pinned") device.hostMemory().orElseThrow() else Devices.cpu().memory()
        onDevice = MemoryPool.of(device.memory(), 3 * bytes)
        onHost = MemoryPool.of(host, 3 * bytes)
        here = Batch(columns, bytes, host)
        there = here.array.copyTo(onDevice, stream)
        there.synchronize()
        rawHere = host.allocate(bytes)
        rawThere = device.allocate(bytes)
        // pages that were never written would be one shared page of zeros
        MemorySegment.ofAddress(rawHere.address()).reinterpret(bytes).fill(1)
    }

    /** Verifies the copies, and releases everything. */
    @TearDown
    fun close() {
        gpu.raw().enter()
        here.array.copyTo(onDevice, stream).use { there ->
            there.copyTo(onHost, stream).use { back ->
                back.synchronize()
                for (i in 0 until columns) here.compare(i,
                    MemorySegment.ofAddress(back.numbersOf(i)).reinterpret(here.columnBytes), "there and back", 0)
            }
        }
        listOf(rawHere, rawThere, there, here, reference).forEach(AutoCloseable::close)
        stream.synchronize()
        listOf(stream, onDevice, onHost).forEach(AutoCloseable::close)
    }

    /** Copies the columns to the GPU with Arbalest. */
    @Benchmark
    fun toDevice(): Long = copy(here.array, onDevice)

    /** Copies the columns from the GPU with Arbalest. */
    @Benchmark
    fun toHost(): Long = copy(there, onHost)

    /** Copies the bytes to the GPU with the runtime. */
    @Benchmark
    fun rawToDevice(): Unit = raw(rawThere, rawHere)

    /** Copies the bytes from the GPU with the runtime. */
    @Benchmark
    fun rawToHost(): Unit = raw(rawHere, rawThere)

    private fun raw(to: DeviceBuffer, from: DeviceBuffer) {
        gpu.raw().enter()
        reference.copy(to.address(), from.address(), bytes)
    }

    private fun copy(array: RecordBatch, target: MemoryManager): Long = array.copyTo(target, stream).use {
        it.synchronize()
        it.length()
    }
}
