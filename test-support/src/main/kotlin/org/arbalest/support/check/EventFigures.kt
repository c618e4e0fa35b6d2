// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.runBlocking
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowDeviceArray
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

private const val BYTES = 1L shl 20

/**
 * The measurement of waits. It measures the time until a waiter for a copy of 1 MiB continues, without and with work
 * before the copy, and the cost of a batch across the C interface.
 */
class EventFigures(private val measuring: Measuring) {
    private val device = measuring.device
    private val waits = if (measuring.isQuick) 5 else 50

    fun run() {
        measuring.raw.enter()
        device.createStream().use { stream ->
            device.createStream().use { other ->
                Reference(measuring.raw, stream.handle(), measuring.double).use { reference ->
                    for (wait in Wait.entries) measuring.figure(wait.title, BYTES) { waiting(stream, reference, wait) }
                }
                measuring.figure(EXPORT, 0) { exporting(other) }
                measuring.figure(RECORD, 0) { recording(stream, other) }
            }
            stream.synchronize()
        }
    }

    private fun waiting(
        stream: DeviceStream,
        reference: Reference,
        wait: Wait,
    ): Figure = Copied(reference).use { copied ->
        val copies = copied.copiesIn(wait.micros)
        val waits = maxOf(1, waits / wait.length)
        val suspending = Contestant("suspending", nanos = copied::nanos) {
            runBlocking(Dispatchers.Default) {
                repeat(waits) {
                    copied.timed(copies - 1, { from, to -> spared { stream.copy(from, to) } }) { from, to ->
                        stream.copy(from, to)
                        stream.record().use { measuring.gpu.await(it) }
                    }
                }
            }
        }
        val blocking = Contestant("blocking", nanos = copied::nanos) {
            repeat(waits) {
                copied.timed(copies - 1, copied::queue) { from, to ->
                    reference.copy(to.address(), from.address(), BYTES)
                }
            }
        }
        val (mine, theirs) = Race(measuring.rounds).run(listOf(suspending, blocking)).map { times ->
            times.map { it / waits }.toLongArray()
        }
        measuring.judged(wait.title, BYTES, mine, measuring.raw.waitCall, theirs.medianMicros(), wait.threshold)
    }

    /** Queues work whose only purpose is its duration, and that a simulator does not disturb. */
    private inline fun spared(block: () -> Unit) {
        measuring.double?.spare(true)
        try {
            block()
        } finally {
            measuring.double?.spare(false)
        }
    }

    /**
     * A wait for a copy of 1 MiB, behind other copies that take [micros] microseconds in all. Each such wait replaces
     * [length] of the shortest ones.
     */
    private enum class Wait(val title: String, val micros: Long, val length: Int, val threshold: Threshold) {
        SHORT("copying 1 MiB and a suspended wait", 0, 1, Thresholds.wait),
        MIDDLE("the same behind copies of 1 ms", 1_000, 2, Thresholds.longWait),
        LONG("the same behind copies of 10 ms", 10_000, 10, Thresholds.longWait),
    }

    /**
     * Two sources on the device that differ everywhere, copied alternately to one target. A waiter that continues
     * before the copy is complete finds the other source's bytes, each time.
     */
    private inner class Copied(private val reference: Reference) : AutoCloseable {
        private val pinned = device.hostMemory().orElseThrow()
        private val sources = List(2) { device.allocate(BYTES) }
        private val expected = List(2) { pinned.allocate(BYTES) }
        private val target = pinned.allocate(BYTES)
        private val elsewhere = pinned.allocate(BYTES)
        private var turns = 0
        private var spent = 0L

        init {
            expected.forEachIndexed { piece, buffer -> Pattern.fill(segment(buffer), piece) }
            sources.zip(expected).forEach { (source, piece) ->
                reference.copy(source.address(), piece.address(), BYTES)
            }
        }

        /** Returns the number of copies that take this time, plus one. */
        fun copiesIn(micros: Long): Int {
            if (micros == 0L) return 1
            fun nanos(copies: Int): Long {
                val start = System.nanoTime()
                repeat(copies) { queue(sources[0], elsewhere) }
                reference.await()
                return System.nanoTime() - start
            }
            repeat(3) { nanos(20) }
            val each = maxOf(1_000, (nanos(21) - nanos(1)) / 20)
            return 1 + (micros * 1_000 / each).toInt()
        }

        /** Queues a copy by the runtime, on the measuring thread: no other thread has a context. */
        fun queue(from: DeviceBuffer, to: DeviceBuffer): Unit = reference.queue(to.address(), from.address(), BYTES)

        /**
         * Times a copy to the target and the wait for it, behind a number of copies to another place, and then verifies
         * the target.
         */
        inline fun timed(
            others: Int,
            before: (DeviceBuffer, DeviceBuffer) -> Unit,
            copy: (DeviceBuffer, DeviceBuffer) -> Unit,
        ) {
            val piece = ++turns % 2
            val start = System.nanoTime()
            repeat(others) { before(sources[0], elsewhere) }
            copy(sources[piece], target)
            spent += System.nanoTime() - start
            Pattern.compare(segment(expected[piece]), segment(target)) {
                "wait $turns: the target when its waiter continued"
            }
        }

        /** Returns the time since the last call, in nanoseconds. */
        fun nanos(): Long = spent.also { spent = 0 }

        private fun segment(buffer: DeviceBuffer): MemorySegment =
            MemorySegment.ofAddress(buffer.address()).reinterpret(BYTES)

        override fun close(): Unit = (sources + expected + target + elsewhere).forEach { it.close() }
    }

    private fun exporting(other: DeviceStream): Figure = Batch(10, 80 * 1024, Devices.cpu().memory()).use { here ->
        here.array.copyTo(device).use { batch ->
            batch.synchronize()
            Arena.ofConfined().use { arena ->
                val struct = arena.allocate(RawArrowDeviceArray.SIZE, 8)
                plain(EXPORT) {
                    CData.exportArray(batch.retain(), struct, CExport.DEVICE)
                    CData.importArray(struct, CImport.DEVICE.schema(batch.schema())).use { other.waitFor(it) }
                }
            }
        }
    }

    private fun recording(stream: DeviceStream, other: DeviceStream): Figure = plain(RECORD) {
        stream.record().use { other.waitFor(it) }
    }

    /** Measures a time without a threshold. */
    private fun plain(name: String, block: () -> Unit): Figure {
        val times = Race(measuring.rounds).run(listOf(Contestant(name) { repeat(100) { block() } })).single()
        return Figure(name, 0, Verdict.GOOD, micros = times.medianMicros() / 100, samples = times.size)
    }

    private companion object {
        const val EXPORT = "export, import, wait, release: 10 columns, known to be ready"
        const val RECORD = "record, stream wait, destroy of an event"
    }
}
