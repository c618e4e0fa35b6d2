// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.nio.ByteBuffer
import java.util.concurrent.CompletableFuture
import kotlin.concurrent.thread
import kotlin.random.Random

/**
 * Tests of large copies. A test sees that a copy runs in parts when its memory disappears during the copy. Closing a
 * shared arena stops all threads that use it. A copy in one call would allow that only when everything is copied.
 */
class NativeHeapCopySpec : FunSpec({
    extension(ResourceCountersExtension)

    /**
     * Returns whether a copy stops midway when its source is closed. Tries up to 100 times, because the close must come
     * during the copy.
     */
    fun isInParts(target: MemorySegment, copy: (source: MemorySegment) -> Unit): Boolean = (1..100).any {
        target.fill(0)
        val source = Arena.ofShared()
        val memory = source.allocate(BYTES).fill(1)
        val copying = CompletableFuture<Throwable?>()
        thread { copying.complete(runCatching { copy(memory) }.exceptionOrNull()) }
        while (target.get(JAVA_BYTE, 0) == 0.toByte() && !copying.isDone) Thread.onSpinWait()
        source.close()
        val failure = copying.get()
        if (failure != null && failure !is IllegalStateException) throw failure
        failure != null && target.get(JAVA_BYTE, BYTES - 1) == 0.toByte()
    }

    test("a large copy between memory and arrays runs in parts, so that its thread can be stopped [DEV-51]") {
        Arena.ofShared().use { arena ->
            val target = arena.allocate(BYTES)
            isInParts(target) { NativeHeap.copy(it, target.address()) } shouldBe true
            isInParts(target) { NativeHeap.copy(it, target) } shouldBe true
            val array = MemorySegment.ofArray(LongArray((BYTES / 8).toInt()))
            isInParts(array) { NativeHeap.copy(it, array) } shouldBe true
        }
    }

    test("a channel on a buffer copies in parts [DEV-51]") {
        Devices.cpu().allocate(BYTES).use { buffer ->
            buffer.writer().use { channel ->
                isInParts(buffer.segment()) {
                    channel.position(0)
                    channel.write(it.asByteBuffer())
                } shouldBe true
            }
        }
    }

    test("copies and fills of any size write every byte, and no byte beyond the end [DEV-51]") {
        val mib = 1L shl 20
        Arena.ofConfined().use { arena ->
            for (size in listOf(0, 1, mib - 1, mib, mib + 1, 3 * mib + 7)) {
                val source = arena.allocate(size + 1)
                for (i in 0 until size) source.set(JAVA_BYTE, i, (i * 31 shr 3).toByte())
                val bytes = source.asSlice(0, size)
                val target = arena.allocate(size + 1)
                NativeHeap.copy(bytes, target.address())
                target.asSlice(0, size).mismatch(bytes) shouldBe -1
                target.get(JAVA_BYTE, size) shouldBe 0
                val array = NativeHeap.getBytes(source.address(), size.toInt())
                MemorySegment.ofArray(array).mismatch(bytes) shouldBe -1
                NativeHeap.fill(target.address(), size, 5)
                target.asSlice(0, size).toArray(JAVA_BYTE).all { it == 5.toByte() } shouldBe true
                target.get(JAVA_BYTE, size) shouldBe 0
                NativeHeap.putBytes(target.address(), array)
                target.asSlice(0, size).mismatch(bytes) shouldBe -1
                target.get(JAVA_BYTE, size) shouldBe 0
                Devices.cpu().allocate(size).use { buffer ->
                    buffer.writer().use { it.write(bytes.asByteBuffer()) }
                    buffer.segment().mismatch(bytes) shouldBe -1
                    val read = ByteBuffer.allocate(size.toInt())
                    buffer.reader().use { if (size > 0) it.read(read) shouldBe size.toInt() }
                    MemorySegment.ofArray(read.array()).mismatch(bytes) shouldBe -1
                }
            }
        }
    }

    test("a copy between overlapping ranges keeps the source's bytes, in both directions [DEV-51]") {
        val mib = 1L shl 20
        val sizes = listOf(mib + 1, 2 * mib + 7)
        Devices.cpu().allocate(2 * sizes.last()).use { buffer ->
            val memory = buffer.segment()
            val room = memory.byteSize()
            val before = ByteArray(room.toInt()).also { Random(51).nextBytes(it) }
            val copies = mapOf<String, (Long, Long, Long) -> Unit>(
                "address to address" to { from, to, size ->
                    NativeHeap.copy(memory.address() + from, memory.address() + to, size)
                },
                "segment to address" to { from, to, size ->
                    NativeHeap.copy(memory.asSlice(from, size), memory.address() + to)
                },
                "segment to segment" to { from, to, size ->
                    NativeHeap.copy(memory.asSlice(from, size), memory.asSlice(to, size))
                },
                "address into a segment" to { from, to, size ->
                    NativeHeap.copy(memory.address() + from, memory, to, size)
                },
                "written to the buffer" to { from, to, size ->
                    buffer.writer().use { it.position(to).write(memory.asSlice(from, size).asByteBuffer()) }
                },
                "read from the buffer" to { from, to, size ->
                    buffer.reader().use { it.position(from).read(memory.asSlice(to, size).asByteBuffer()) }
                },
                "a slice to a slice" to { from, to, size ->
                    buffer.slice(from, size).use { source ->
                        buffer.slice(to, size).use { Devices.cpu().defaultStream().copy(source, it) }
                    }
                },
            )
            for ((what, copy) in copies) {
                for (size in sizes) {
                    for (ahead in listOf(1, mib, size - 1).filter { it < size }) {
                        for ((from, to) in listOf(0L to ahead, ahead to 0L)) {
                            MemorySegment.copy(before, 0, memory, JAVA_BYTE, 0, before.size)
                            copy(from, to, size)
                            val moved = before.clone().also {
                                before.copyInto(it, to.toInt(), from.toInt(), (from + size).toInt())
                            }
                            withClue("$what, $size bytes from $from to $to") {
                                memory.mismatch(MemorySegment.ofArray(moved)) shouldBe -1
                            }
                        }
                    }
                }
            }
        }
    }

    test("columns of several megabytes are read back unchanged [DEV-51]") {
        val rows = 400_003
        val longs = LongArray(rows) { it * 7919L }
        val doubles = DoubleArray(rows) { it / 3.0 }
        BatchBuilder.of(Devices.cpu(), rows).use { it.int64("a", longs).float64("b", doubles).build() }.use { array ->
            array.column(0).toLongArray() shouldBe longs
            array.column(1).toDoubleArray() shouldBe doubles
            array.column(0).asLongs().toArray() shouldBe longs
            array.column(1).asDoubles().toArray() shouldBe doubles
        }
    }
})

private const val BYTES = 64L shl 20
