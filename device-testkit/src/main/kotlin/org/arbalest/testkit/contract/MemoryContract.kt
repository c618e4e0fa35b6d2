// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.contract

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.style.funSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.MemoryManager
import org.arbalest.device.MemoryPool
import java.nio.ByteBuffer

internal fun memoryContract(backend: Backend): TestFactory = funSpec {
    val device by lazy { backend.device }
    val cpu = Devices.cpu().memory()

    fun memories(): List<MemoryManager> = listOf(device.memory()) + listOfNotNull(device.hostMemory().orElse(null))

    for (size in listOf(0L, 1L, 63L, 4096L, 1_000_003L)) {
        test("memory: $size bytes at every alignment, allocated and freed") {
            for (memory in memories()) {
                for (alignment in generateSequence(1L) { it * 2 }.takeWhile { it <= 4096 }) {
                    memory.allocate(size, alignment).use { it.address() % alignment shouldBe 0 }
                }
                memory.allocate(size).use {
                    it.size() shouldBe size
                    it.address() % 64 shouldBe 0
                    it.isCpuAccessible shouldBe memory.isCpuAccessible
                }
            }
        }
    }

    test("memory: buffers do not overlap") {
        val buffers = List(50) { device.allocate(64) }
        buffers.map { it.address() }.sorted().zipWithNext { a, b -> (b - a >= 64) shouldBe true }
        buffers.forEach { it.close() }
    }

    test("an allocation that is too large fails with ENOMEM, and the error names the device and the size [DEV-14]") {
        val error = shouldThrow<DeviceException> { device.allocate(1L shl 52) }
        error.errno() shouldBe Errno.ENOMEM
        error.message shouldContain device.type().name()
        error.message shouldContain "${1L shl 52} bytes"
    }

    test("memory: only memory that the CPU can access has a segment") {
        for (memory in memories()) {
            memory.allocate(16).use { buffer ->
                if (memory.isCpuAccessible) {
                    buffer.segment().fill(7)
                    buffer.content() shouldBe List(16) { 7.toByte() }
                } else {
                    shouldThrow<DeviceException> { buffer.segment() }.run {
                        errno() shouldBe Errno.ENOSYS
                        message shouldContain
                            "the CPU cannot access memory of ${memory.device()}: copy the buffer by copyTo"
                    }
                }
            }
        }
    }

    test("memory: buffers of every size, and slices, are equal after a copy to the device and back") {
        for (size in listOf(0, 1, 7, 64, 4095, 70_001)) {
            bytes(size).use { source ->
                source.copyTo(device.memory()).use { there ->
                    there.device() shouldBe device
                    there.content() shouldBe source.content()
                    if (size > 2) there.slice(1, size - 2L).use {
                        it.content() shouldBe source.content().subList(1, size - 1)
                    }
                    there.copyTo(device.memory()).use { it.content() shouldBe source.content() }
                }
            }
        }
    }

    test(
        "memory: a view on the device needs no copy; a view on the CPU has the same bytes or is rejected, and " +
            "viewOrCopyTo selects",
    ) {
        bytes(300).use { source ->
            source.copyTo(device.memory()).use { there ->
                there.view(device.memory()).use { it.address() shouldBe there.address() }
                val view = runCatching { there.view(cpu) }
                view.onSuccess { seen ->
                    seen.use {
                        it.segment().get(java.lang.foreign.ValueLayout.JAVA_BYTE, 299) shouldBe source.content()[299]
                    }
                }
                view.onFailure { (it as DeviceException).errno() shouldBe Errno.ENOSYS }
                there.viewOrCopyTo(cpu).use { it.content() shouldBe source.content() }
            }
            source.viewOrCopyTo(device.memory()).use { it.content() shouldBe source.content() }
        }
    }

    test("memory: bytes that are written through a view are in the buffer after the view is closed") {
        bytes(64).use { source ->
            source.copyTo(device.memory()).use { there ->
                runCatching { there.view(cpu) }.onSuccess { view ->
                    view.use { it.segment().fill(9) }
                    there.content() shouldBe List(64) { 9.toByte() }
                }
            }
        }
    }

    test("memory: channels read and write device memory at their position") {
        device.allocate(1000).use { buffer ->
            buffer.writer().use { writer ->
                val text = ByteBuffer.wrap(ByteArray(600) { it.toByte() })
                writer.write(text.limit(400))
                writer.write(text.limit(600))
                writer.position(900).write(ByteBuffer.wrap(byteArrayOf(1, 2, 3)))
            }
            buffer.reader().use { reader ->
                val target = ByteBuffer.allocateDirect(600)
                reader.read(target) shouldBe 600
                (0 until 600).all { target[it] == it.toByte() } shouldBe true
                val end = ByteBuffer.allocate(5)
                reader.position(901).read(end)
                end.array().take(2) shouldBe listOf<Byte>(2, 3)
            }
        }
    }

    test("memory: foreign memory is copied and never freed") {
        bytes(100).use { theirs ->
            theirs.copyTo(device.memory()).use { there ->
                org.arbalest.device.DeviceBuffer.copyNonOwned(device, there.address(), 100, device.memory()).use {
                    it.content() shouldBe theirs.content()
                }
                there.content() shouldBe theirs.content()
            }
        }
    }

    test("memory: a pool reuses freed memory, and releases all of it when it is closed") {
        MemoryPool.of(device.memory(), 1 shl 20).use { pool ->
            val address = pool.allocate(5000).use { it.address() }
            pool.allocate(6000).use { it.address() shouldBe address }
            batch(20).use { batch ->
                batch.copyTo(pool, device.defaultStream()).use {
                    it.device() shouldBe device
                    it.fetch() shouldBe batch.rows()
                }
            }
            shouldThrow<DeviceException> { pool.allocate(2 shl 20) }.errno() shouldBe Errno.ENOMEM
        }
    }

    test("counts, limits and out-of-memory handlers work with every memory of the device [DEV-32]") {
        for (memory in memories()) {
            val limited = memory.limited(100_000)
            val held = limited.allocate(60_000)
            var asked = 0
            val guarded = limited.withOutOfMemoryHandler { bytes, failure ->
                asked++
                bytes shouldBe 50_000
                failure.errno() shouldBe Errno.ENOMEM
                held.close()
                true
            }
            guarded.allocate(50_000).use { limited.statistics().currentBytes() shouldBe 50_000 }
            asked shouldBe 1
            limited.statistics().run {
                listOf(currentBytes(), peakBytes(), totalBytes(), totalCount(), failedCount()) shouldBe
                    listOf(0L, 60_000L, 110_000L, 2L, 1L)
            }
            guarded.device() shouldBe memory.device()
        }
    }

    test(
        "a stream's memory serves the stream's work and copies of other streams, and outlives the stream [DEV-31]",
    ) {
        val stream = device.createStream()
        val other = device.createStream()
        val memory = stream.memory()
        memory.device() shouldBe device
        bytes(5000).use { source ->
            val there = memory.allocate(5000)
            stream.copy(source, there)
            batch(30).use { batch -> batch.copyTo(memory, other).use { it.fetch() shouldBe batch.rows() } }
            stream.synchronize()
            stream.close()
            there.content() shouldBe source.content()
            there.close()
        }
        other.synchronize()
        other.close()
    }

    test("trim releases cached memory [DEV-28]") {
        for (memory in memories()) {
            memory.allocate(10_000).close()
            memory.trim()
            memory.keptBytes() shouldBe 0
            memory.allocate(10_000).use { it.size() shouldBe 10_000 }
        }
    }

    test("a device number that does not exist is unavailable, with a reason [DEV-13]") {
        if (device.type() != DeviceType.CPU) {
            val error = shouldThrow<DeviceException> { Devices.device(device.type(), 4711) }
            error.errno() shouldBe Errno.ENOSYS
            error.message shouldContain "${device.type()}:4711 is unavailable, because"
        }
        Devices.device(device.type(), device.id()) shouldBe device
        Devices.describe() shouldContain "$device: "
    }
}
