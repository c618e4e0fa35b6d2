// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.internal.device.DeviceRegistry
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.ResourceCountersExtension
import java.io.IOException
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.nio.ByteBuffer
import java.nio.channels.ClosedChannelException
import java.nio.channels.NonWritableChannelException
import java.util.concurrent.atomic.AtomicInteger

/** Buffers in main memory; the contract of the backends covers buffers of other devices. */
class DeviceBufferSpec : FunSpec({
    extension(ResourceCountersExtension)

    val cpu = Devices.cpu()

    fun buffer(size: Int) = cpu.allocate(size.toLong()).also { b ->
        repeat(size) { b.segment().set(JAVA_BYTE, it.toLong(), it.toByte()) }
    }

    fun DeviceBuffer.content(): List<Int> = segment().toArray(JAVA_BYTE).map { it.toInt() }

    test("a slice shares its buffer's memory, and keeps it after the buffer is closed") {
        val whole = buffer(100)
        val slice = whole.slice(10, 5)
        whole.close()
        slice.content() shouldBe (10..14).toList()
        slice.slice(4, 1).use { it.content() shouldBe listOf(14) }
        slice.close()
        shouldThrow<IllegalStateException> { slice.slice(0, 1) }.message shouldContain "closed"
        shouldThrow<IndexOutOfBoundsException> { buffer(3).use { it.slice(1, 3) } }
    }

    test("a segment in an arena keeps the memory of a closed buffer until the arena is closed [OWN-14]") {
        val freed = AtomicInteger()
        Arena.ofConfined().use { memory ->
            val theirs = memory.allocateFrom(JAVA_BYTE, 3, 1, 4)
            val segment = Arena.ofConfined().use { arena ->
                val buffer = DeviceBuffer.wrap(cpu, theirs.address(), 3) { freed.incrementAndGet() }
                val segment = buffer.segment(arena)
                buffer.close()
                freed.get() shouldBe 0
                segment.toArray(JAVA_BYTE).toList() shouldBe listOf<Byte>(3, 1, 4)
                segment.set(JAVA_BYTE, 1, 2)
                shouldThrow<IllegalStateException> { buffer.segment(arena) }.message shouldContain "closed"
                segment
            }
            freed.get() shouldBe 1
            theirs.get(JAVA_BYTE, 1) shouldBe 2
            shouldThrow<IllegalStateException> { segment.get(JAVA_BYTE, 0) }
            buffer(3).use { shouldThrow<IllegalStateException> { it.segment(Arena.ofConfined().also(Arena::close)) } }
        }
    }

    test("a view on the same device shares the memory, and a copy does not") {
        buffer(9).use { source ->
            source.view(cpu.memory()).use { it.address() shouldBe source.address() }
            source.viewOrCopyTo(cpu.memory()).use { it.address() shouldBe source.address() }
            source.copyTo(cpu.memory()).use {
                (it.address() == source.address()) shouldBe false
                it.content() shouldBe (0..8).toList()
            }
        }
        cpu.allocate(0).use { empty -> empty.copyTo(cpu.memory()).use { it.size() shouldBe 0 } }
    }

    test("copyNonOwned copies foreign memory, and a wrapped buffer releases it once, with its last slice") {
        Arena.ofConfined().use { arena ->
            val theirs = arena.allocateFrom(JAVA_BYTE, 3, 1, 4)
            DeviceBuffer.copyNonOwned(cpu, theirs.address(), 3, cpu.memory()).use { copy ->
                theirs.fill(0)
                copy.content() shouldBe listOf(3, 1, 4)
            }
            val given = AtomicInteger()
            val wrapped = DeviceBuffer.wrap(cpu, theirs.address(), 3) { given.incrementAndGet() }
            wrapped.slice(0, 1).use { wrapped.close() }
            wrapped.close()
            given.get() shouldBe 1
            shouldThrow<IllegalArgumentException> { DeviceBuffer.wrap(cpu, 0, 3) {} }
            shouldThrow<IllegalArgumentException> { DeviceBuffer.wrap(cpu, 8, -1) {} }
        }
    }

    test("the release action of a wrapped buffer runs when the array that contains it is closed") {
        val given = AtomicInteger()
        val memory = buffer(32)
        val wrapped = DeviceBuffer.wrap(cpu, memory.address(), 32) { given.incrementAndGet() }
        val array = DeviceArray.of(Field.of("id", DataType.INT64), ArrayData.of(4, 0, listOf(null, wrapped)))
        array.retain().close()
        given.get() shouldBe 0
        array.close()
        given.get() shouldBe 1
        memory.close()
    }

    test("wrapped buffers of one owner release it once, after the last of them [OWN-23]") {
        val freed = AtomicInteger()
        val field = Field.of("id", DataType.INT64)
        buffer(64).use { memory ->
            val owner = DeviceBuffer.wrap(cpu, 0, 0) { freed.incrementAndGet() }
            val bitmap = DeviceBuffer.wrap(cpu, memory.address(), 8, owner)
            val values = DeviceBuffer.wrap(cpu, memory.address() + 8, 32, owner)
            owner.close()
            owner.close()
            values.content() shouldBe (8..39).toList()
            shouldThrow<IllegalStateException> { DeviceBuffer.wrap(cpu, memory.address(), 8, owner) }
                .message shouldContain "closed"
            val data = ArrayData.of(4, -1, listOf(bitmap, values))
            shouldThrow<RuntimeException> { DeviceArray.of(field.withType(DataType.UTF8), data) }
            freed.get() shouldBe 0
            val array = DeviceArray.of(field, data)
            data.close()
            val children = ArrayData.of(array)
            array.close()
            freed.get() shouldBe 0
            children.close()
            freed.get() shouldBe 1
        }
    }

    test("an array that fails leaves its buffers open, and their owner is released once, at the end [OWN-23]") {
        val freed = AtomicInteger()
        val field = Field.of("id", DataType.INT64)
        val pair = Field.of("pair", DataType.struct(field, field.withName("other")))
        buffer(32).use { memory ->
            val values = DeviceBuffer.wrap(cpu, 0, 0) { freed.incrementAndGet() }.use { owner ->
                DeviceBuffer.wrap(cpu, memory.address(), 32, owner)
            }
            val data = ArrayData.of(4, 0, listOf(null, values))
            for ((children, rows, words) in listOf(
                Triple(listOf(data, data), 4L, "given twice"),
                Triple(listOf(data, ArrayData.of(4, 0, listOf(null, cpu.allocate(32)))), 5L, "5"),
            )) {
                val failing = ArrayData.of(rows, 0, listOf(null), children)
                shouldThrow<RuntimeException> { DeviceArray.of(pair, failing) }.message shouldContain words
                values.content() shouldBe (0..31).toList()
                freed.get() shouldBe 0
                children.last().takeUnless { it === data }?.close()
            }
            DeviceArray.of(field, data).close()
            freed.get() shouldBe 1
        }
    }

    test("an owner without buffers, or whose second buffer is impossible, is released once [OWN-23]") {
        val freed = AtomicInteger()
        DeviceBuffer.wrap(cpu, 0, 0) { freed.incrementAndGet() }.use { it.size() shouldBe 0 }
        freed.get() shouldBe 1
        buffer(8).use { memory ->
            shouldThrow<IllegalArgumentException> {
                DeviceBuffer.wrap(cpu, 0, 0) { freed.incrementAndGet() }.use { owner ->
                    DeviceBuffer.wrap(cpu, memory.address(), 8, owner).use { DeviceBuffer.wrap(cpu, 0, 3, owner) }
                }
            }.message shouldContain "no buffer is at 0 with 3 bytes"
        }
        freed.get() shouldBe 2
    }

    test("buffers without an address and without bytes form an array without rows, whose pointers are not NULL") {
        val freed = AtomicInteger()
        DeviceBuffer.wrap(cpu, 0, 0) { freed.incrementAndGet() }.use { owner ->
            val buffers = listOf(null) + List(2) { DeviceBuffer.wrap(cpu, 0, 0, owner) }
            buffers.filterNotNull().forEach { (it.address() != 0L) shouldBe true }
            DeviceArray.of(Field.of("name", DataType.UTF8), ArrayData.of(0, 0, buffers)).use {
                it.validate(Validation.FULL)
                it.length() shouldBe 0
            }
        }
        freed.get() shouldBe 1
    }

    test("a reader reads from its position, and returns -1 at the end") {
        val reader = buffer(10).use { it.reader() }
        reader.size() shouldBe 10
        val target = ByteBuffer.allocate(4)
        reader.read(target) shouldBe 4
        target.array().toList() shouldBe listOf<Byte>(0, 1, 2, 3)
        reader.position(8).read(target.clear()) shouldBe 2
        reader.position() shouldBe 10
        reader.read(target.clear()) shouldBe -1
        reader.position(50).read(target) shouldBe -1
        reader.read(ByteBuffer.allocate(0)) shouldBe 0
        shouldThrow<NonWritableChannelException> { reader.write(target) }
        shouldThrow<NonWritableChannelException> { reader.truncate(0) }
        shouldThrow<IllegalArgumentException> { reader.position(-1) }
        reader.close()
        reader.isOpen shouldBe false
        shouldThrow<ClosedChannelException> { reader.read(target) }
        reader.close()
    }

    test("a writer writes at its position, and writes nothing if the data does not fit") {
        buffer(6).use { buffer ->
            buffer.writer().use { writer ->
                writer.position(2)
                writer.write(ByteBuffer.allocateDirect(2).put(7).put(8).flip()) shouldBe 2
                val tooMuch = ByteBuffer.wrap(ByteArray(3))
                shouldThrow<IOException> { writer.write(tooMuch) }.message shouldContain
                    "3 bytes do not fit at position 4 of a buffer of 6 bytes"
                tooMuch.position() shouldBe 0
                writer.truncate(6)
                shouldThrow<IOException> { writer.truncate(5) }
                writer.position(0).read(ByteBuffer.allocate(6)) shouldBe 6
            }
            buffer.content() shouldBe listOf(0, 1, 7, 8, 4, 5)
        }
    }

    test("an opaque device has no memory, no streams and no events") {
        val opaque = DeviceRegistry.find(DeviceType(77), 3)
        for (attempt in listOf(
            { opaque.memory() },
            { opaque.hostMemory() },
            { opaque.createStream() },
            { opaque.defaultStream() },
            { opaque.adoptEvent(1) },
        )) {
            val error = shouldThrow<DeviceException> { attempt() }
            error.errno() shouldBe Errno.ENOSYS
            error.message shouldContain "no backend serves DEVICE_TYPE_77:3"
        }
    }

    test("a stream of the CPU completes each operation immediately") {
        cpu.createStream().use { stream ->
            stream.record().use { event ->
                event.isReady shouldBe true
                event.handle() shouldBe 0
                event.onReady().toCompletableFuture().isDone shouldBe true
                stream.waitFor(event)
            }
            buffer(3).use { from ->
                cpu.allocate(3).use { to -> stream.copy(from, to).also { to.content() shouldBe listOf(0, 1, 2) } }
            }
            shouldThrow<IllegalArgumentException> {
                buffer(3).use { from -> cpu.allocate(2).use { to -> stream.copy(from, to) } }
            }
            stream.synchronize()
            stream.close()
            shouldThrow<IllegalStateException> { stream.record() }.message shouldContain "closed"
        }
        cpu.defaultStream().close()
        cpu.defaultStream().synchronize()
    }

    test("Devices.describe() lists the available backends, and the missing ones with the reason [DEV-13]") {
        Devices.describe().lines().first() shouldContain "CPU: "
        Devices.describe() shouldContain "CUDA: unavailable, because no backend for CUDA was found on the class path"
        Devices.describe() shouldNotContain "CpuProvider" // only a broken provider is named
        Devices.status().single { it.type() == DeviceType.CPU }.descriptions().single() shouldContain "processors"
    }
})
