// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment
import kotlin.random.Random

/** A limit of the memory holds for all native memory that a reader allocates. */
class MemoryLimitSpec : FunSpec({
    extension(ResourceCountersExtension)

    val rows = 100_000

    /** A batch of numbers that do not become smaller, so that its compressed bytes are as many as its values. */
    fun bytes(format: Format, codec: IpcCompression): ByteArray = BatchBuilder.of(Devices.cpu()).use { builder ->
        val random = Random(1)
        builder.int64("n", LongArray(rows) { random.nextLong() }).build().use { batch ->
            format.write(IpcWriteOptions.defaults().withCompression(codec), batch)
        }
    }

    for (codec in IpcCompression.entries) for (input in Inputs.quick) {
        test("all memory that $input allocates, with $codec, is within the limit [FIL-06]") {
            val bytes = bytes(if (input.isFile) Format.FILE else Format.STREAM, codec)
            val before = ResourceCounters.now().bufferBytes()
            var limit = 8L * rows * 3 / 2
            fun read(): Long {
                val memory = Devices.cpu().memory().limited(limit)
                return input.read(bytes, IpcReadOptions.defaults().withMemory(memory)) {
                    val all = ResourceCounters.now().bufferBytes() - before
                    all shouldBeLessThanOrEqual memory.statistics().currentBytes()
                }.also { memory.statistics().peakBytes() shouldBeLessThanOrEqual limit }
            }
            val isOnce = codec == IpcCompression.NONE || input == Inputs.FILE_SEGMENT || input == Inputs.STREAM_SEGMENT
            if (!isOnce) {
                shouldThrow<DeviceException> { read() }.errno() shouldBe Errno.ENOMEM
                limit = 8L * rows * 5 / 2
            }
            read() shouldBe rows.toLong()
        }
    }

    test("the copy of a heap segment is within the limit [FIL-06]") {
        val bytes = bytes(Format.FILE, IpcCompression.NONE)
        val options = IpcReadOptions.defaults().withMemory(Devices.cpu().memory().limited(bytes.size - 1L))
        shouldThrow<DeviceException> { ArrowFile.open(MemorySegment.ofArray(bytes), {}, options) }
            .errno() shouldBe Errno.ENOMEM
    }
})
