// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.check

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.runBlocking
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.abi.ArrowDeviceArrayStruct
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

private const val BYTES = 1L shl 20

/** How long it takes until somebody who waits for a copy of 1 MiB goes on, and what a batch costs across the C interface. */
internal class EventFigures(private val measuring: Measuring) {
    private val device = measuring.device
    private val waits = if (measuring.isQuick) 5 else 50

    fun run() {
        measuring.raw.enter()
        device.createStream().use { stream ->
            device.createStream().use { other ->
                Reference(measuring.raw, stream.handle(), measuring.double).use { reference ->
                    measuring.figure(WAIT, BYTES) { waiting(stream, reference) }
                }
                measuring.figure(EXPORT, 0) { exporting(other) }
                measuring.figure(RECORD, 0) { recording(stream, other) }
            }
            stream.synchronize()
        }
    }

    private fun waiting(stream: DeviceStream, reference: Reference): Figure = device.allocate(BYTES).use { from ->
        device.hostMemory().orElseThrow().allocate(BYTES).use { to ->
            device.hostMemory().orElseThrow().allocate(BYTES).use { source ->
                val (expected, actual) = listOf(source, to).map { MemorySegment.ofAddress(it.address()).reinterpret(BYTES) }
                Pattern.fill(expected, 0)
                val prepare = { round: Int ->
                    Pattern.stamp(expected, 0, round)
                    reference.copy(from.address(), source.address(), BYTES)
                }
                val suspending = Contestant(
                    "suspending", prepare, verify = { round -> Pattern.compare(expected, actual) { "wait ${round + 1}: what was copied before a coroutine went on" } },
                ) { suspending(stream, from, to) }
                val blocking = Contestant("blocking") { repeat(waits) { reference.copy(to.address(), from.address(), BYTES) } }
                val (mine, theirs) = Race(measuring.rounds).run(listOf(suspending, blocking)).map { times -> times.map { it / waits }.toLongArray() }
                measuring.judged(WAIT, BYTES, mine, measuring.raw.waitCall, theirs.medianMicros(), Thresholds.wait)
            }
        }
    }

    private fun suspending(stream: DeviceStream, from: DeviceBuffer, to: DeviceBuffer): Unit = runBlocking(Dispatchers.Default) {
        repeat(waits) {
            stream.copy(from, to)
            stream.record().use { measuring.gpu.await(it) }
        }
    }

    private fun exporting(other: DeviceStream): Figure = Batch(10, 80 * 1024, Devices.cpu().memory()).use { here ->
        here.array.copyTo(device).use { batch ->
            batch.synchronize()
            Arena.ofConfined().use { arena ->
                val struct = arena.allocate(ArrowDeviceArrayStruct.SIZE, 8)
                plain(EXPORT) {
                    batch.retain().exportDeviceArray(struct)
                    DeviceArray.importDeviceArray(struct, batch.schema()).use { other.waitFor(it) }
                }
            }
        }
    }

    private fun recording(stream: DeviceStream, other: DeviceStream): Figure = plain(RECORD) { stream.record().use { other.waitFor(it) } }

    /** What is held to nothing. */
    private fun plain(name: String, block: () -> Unit): Figure {
        val times = Race(measuring.rounds).run(listOf(Contestant(name) { repeat(100) { block() } })).single()
        return Figure(name, 0, Verdict.GOOD, micros = times.medianMicros() / 100, samples = times.size)
    }

    private companion object {
        const val WAIT = "copying 1 MiB and a suspended wait"
        const val EXPORT = "export, import, wait, release: 10 columns, known to be ready"
        const val RECORD = "record, stream wait, destroy of an event"
    }
}
