// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.support

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult
import org.arbalest.device.Device
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.DeviceStream
import org.arbalest.device.Devices
import org.arbalest.device.MemoryManager
import org.arbalest.device.internal.device.DeviceImpl
import org.arbalest.device.internal.staging.Staging
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeUserEvent
import org.arbalest.testkit.contract.eventually
import org.arbalest.testkit.contract.settled
import java.lang.foreign.MemorySegment

/** A fake GPU, and the library's staging memory for its copies to and from main memory that is not pinned. */
internal class StagedGpu(id: Long) {
    val device: Device = Devices.device(TestGpuProvider.GPU, id)
    val fake: FakeDevice = FakeDevice.of(TestGpuProvider.GPU, id)
    val staging: Staging = checkNotNull(Staging.of(DeviceImpl.unwrap(device).driver()))
    val pinned: MemoryManager get() = device.hostMemory().get()

    /** Makes the library create all slots and lanes, and the default stream of the pinned memory, which it keeps. */
    fun warmUp() {
        Devices.device(TestGpuProvider.GPU_HOST, device.id()).defaultStream()
        if (staging.slots() == SLOTS && staging.queues() == QUEUES) return
        device.createStream().use { stream ->
            fake.hold()
            val small = List(Staging.MOST_SMALL) { filled(1, it) to device.allocate(1) }
            val there = device.allocate(4 * Staging.LARGE)
            val back = List(4) { Devices.cpu().allocate(4 * Staging.LARGE) }
            small.forEach { (from, to) -> stream.copy(from, to) }
            back.forEach { stream.copy(there, it) }
            fake.release()
            stream.synchronize()
            (small.flatMap { it.toList() } + back + there).forEach(DeviceBuffer::close)
        }
        settled()
        check(staging.slots() == SLOTS && staging.queues() == QUEUES) {
            "staging has only ${staging.slots()} slots, ${staging.queues()} queues after the warm-up"
        }
    }

    /** Makes a stream wait for an event that the test completes. */
    fun gate(stream: DeviceStream): FakeUserEvent = fake.userEvent().also {
        device.adoptEvent(it.handle).use(stream::waitFor)
    }

    /**
     * Makes [stream] use this many of the small slots until its gate opens. The caller closes the returned buffers.
     */
    fun occupy(stream: DeviceStream, slots: Int): List<DeviceBuffer> = List(slots) { i ->
        val from = filled(8, i)
        val to = device.allocate(8)
        stream.copy(from, to)
        listOf(from, to)
    }.flatten()

    /** Returns whether a buffer of the GPU has the content of [seed]. The GPU copies it to pinned memory first. */
    fun matches(buffer: DeviceBuffer, size: Long, seed: Int): Boolean =
        buffer.copyTo(pinned).use { it.matches(size, seed) }

    companion object {
        const val SLOTS = Staging.MOST_SMALL + Staging.MOST_LARGE
        const val QUEUES = 8

        /**
         * Creates the resources that the library keeps before each test, and checks after it that all slots and lanes
         * are free.
         */
        val kept: TestCaseExtension = object : TestCaseExtension {
            override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult {
                val gpu = StagedGpu(0)
                gpu.warmUp()
                val result = execute(testCase)
                if (!result.isSuccess) return result
                return runCatching { eventually("all slots and lanes are free") { gpu.staging.inUse() == 0 } }
                    .fold({ result }, { TestResult.Failure(result.duration, AssertionError(it.message, it)) })
            }
        }

        /** Returns a word that depends on the seed. */
        private fun word(i: Long, seed: Int): Long = (i + 1) * -0x61C8864680B583EBL xor seed * 0x9E3779B97F4AL

        /** Returns main memory with the content of [seed]. The caller closes it. */
        fun filled(size: Long, seed: Int): DeviceBuffer = Devices.cpu().allocate(size).also { it.fill(size, seed) }

        fun DeviceBuffer.fill(size: Long, seed: Int) {
            MemorySegment.copy(content(size, seed), 0, segment(), 0, size)
        }

        /** Returns whether the buffer has the bytes that [fill] writes. */
        fun DeviceBuffer.matches(size: Long, seed: Int): Boolean =
            segment().asSlice(0, size).mismatch(content(size, seed)) == -1L

        private fun content(size: Long, seed: Int): MemorySegment =
            MemorySegment.ofArray(LongArray(((size + 7) / 8).toInt()) { word(it.toLong(), seed) }).asSlice(0, size)
    }
}
