// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.MemoryManager
import org.arbalest.device.MemoryPool
import org.arbalest.device.RecordBatch
import java.lang.foreign.MemorySegment

enum class HostKind { PINNED, PAGEABLE }

/**
 * The measurement of copies of batches from and to one kind of main memory, until they are complete. It verifies all
 * bytes, and compares the time with that of the runtime's own copy.
 */
class CopyFigures(private val measuring: Measuring, private val kind: HostKind, private val bytes: Long) {
    private val device = measuring.device
    private val gpu = measuring.gpu
    private val pinned = device.hostMemory().orElseThrow { IllegalStateException("$device has no pinned memory") }
    private val host: MemoryManager = if (kind == HostKind.PINNED) pinned else Devices.cpu().memory()

    fun run() {
        measuring.raw.enter()
        device.createStream().use { stream ->
            Reference(measuring.raw, stream.handle(), measuring.double).use { reference ->
                for (columns in listOf(1, 100)) Batch(columns, bytes, host).use { batch ->
                    Courses(batch, stream, reference).use { it.run() }
                }
            }
            stream.synchronize()
        }
    }

    /** The copies of one batch in both directions. */
    private inner class Courses(
        private val batch: Batch,
        private val stream: DeviceStream,
        private val reference: Reference,
    ) : AutoCloseable {
        private val onDevice = MemoryPool.of(device.memory(), 3 * bytes)
        private val onHost = MemoryPool.of(host, 3 * bytes)
        private val total = batch.columnBytes * batch.columns
        private val rawHere: DeviceBuffer = pinned.allocate(total) // also receives the bytes for the comparison
        private val rawThere: DeviceBuffer = device.allocate(total)
        private val rawPageable: DeviceBuffer? = if (kind == HostKind.PAGEABLE) host.allocate(total) else null
        private val memcpy: HostCopy? = if (kind == HostKind.PAGEABLE) HostCopy(total) else null
        private val scratch = segment(rawHere)
        private var copied: RecordBatch? = null

        fun run() {
            val columns = "${batch.columns} column${if (batch.columns == 1) "" else "s"}"
            scratch.fill(1) // pages that were never written would be one shared page of zeros
            rawPageable?.let { segment(it).fill(1) }
            "to the GPU, $columns".let { name -> measuring.figure(name, total) { toDevice(name) } }
            "from the GPU, $columns".let { name -> measuring.figure(name, total) { toHost(name) } }
        }

        private fun toDevice(name: String): Figure {
            val ours = Contestant(
                "ours", prepare = batch::stamp,
                verify = { round ->
                    done { array ->
                        for (i in 0 until batch.columns) reference.queue(rawHere.address() + i * batch.columnBytes,
                            array.numbersOf(i), batch.columnBytes)
                        reference.await()
                        for (i in 0 until batch.columns) batch.compare(i,
                            scratch.asSlice(i * batch.columnBytes, batch.columnBytes), "to the GPU", round)
                    }
                },
            ) { copied = batch.array.copyTo(onDevice, stream).also { it.synchronize() } }
            val raw = Contestant(gpu.copyName) { reference.copy(rawThere.address(), rawHere.address(), total) }
            return figure(
                name, ours, raw, { reference.copy(rawThere.address(), it.address(), total) },
            ) { pinned, pageable -> memcpy?.run(pinned, pageable) }
        }

        private fun toHost(name: String): Figure = batch.array.copyTo(onDevice, stream).use { there ->
            there.synchronize()
            val ours = Contestant(
                "ours",
                prepare = { round ->
                    batch.stamp(round)
                    for (i in 0 until batch.columns)
                        reference.queue(there.numbersOf(i), batch.segments[i].address(), batch.columnBytes)
                    reference.await()
                },
                verify = { round ->
                    done { array ->
                        for (i in 0 until batch.columns) {
                            batch.compare(i, MemorySegment.ofAddress(array.numbersOf(i)).reinterpret(batch.columnBytes),
                                "from the GPU", round)
                        }
                    }
                },
            ) { copied = there.copyTo(onHost, stream).also { it.synchronize() } }
            val raw = Contestant(gpu.copyName) { reference.copy(rawHere.address(), rawThere.address(), total) }
            figure(name, ours, raw, { reference.copy(it.address(), rawThere.address(), total) }) { pinned, pageable ->
                memcpy?.run(pageable, pinned)
            }
        }

        /** @param driver the runtime's copy from or to pageable memory, which stages in its own way */
        private fun figure(
            name: String, ours: Contestant, raw: Contestant, driver: (DeviceBuffer) -> Unit,
            copy: (pinned: MemorySegment, pageable: MemorySegment) -> Unit,
        ): Figure {
            val race = Race(measuring.rounds)
            if (rawPageable == null) {
                val (mine, theirs) = race.run(listOf(ours, raw))
                return finished(name, mine, raw.name, theirs.medianMicros(), Thresholds.pinned(batch.columns, total))
            }
            val own = Contestant("${gpu.copyName}, pageable") { driver(rawPageable) }
            val cpu = Contestant("memcpy") { copy(scratch, segment(rawPageable)) }
            val (mine, bus, drivers, memory) = race.run(listOf(ours, raw, own, cpu))
            val (busMicros, memoryMicros) = bus.medianMicros() to memory.medianMicros()
            val bound = if (busMicros > memoryMicros) raw.name else "memcpy by ${memcpy?.threads} threads"
            return finished(name, mine, bound, maxOf(busMicros, memoryMicros), Thresholds.pageable(total)).copy(
                others = mapOf("runtime_pinned_us" to busMicros, "memcpy_us" to memoryMicros,
                    "runtime_pageable_us" to drivers.medianMicros()),
            )
        }

        private fun finished(
            name: String,
            ours: LongArray,
            reference: String,
            micros: Double,
            threshold: Threshold,
        ): Figure =
            measuring.judged(name, total, ours, reference, micros, threshold)
                .copy(gigabytesPerSecond = total / ours.medianMicros() / 1e3)

        /** Verifies the copied array, and closes it. */
        private fun done(look: (RecordBatch) -> Unit): Unit = checkNotNull(copied).use(look)

        override fun close() {
            stream.synchronize()
            listOfNotNull(rawHere, rawThere, rawPageable, memcpy, onDevice, onHost).forEach(AutoCloseable::close)
        }
    }

    private fun segment(buffer: DeviceBuffer): MemorySegment =
        MemorySegment.ofAddress(buffer.address()).reinterpret(buffer.size())

    private val CheckedGpu.copyName: String get() = measuring.raw.copyCall
}
