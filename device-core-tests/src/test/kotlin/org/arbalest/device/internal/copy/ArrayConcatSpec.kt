// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.longs.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.MemoryAllocator
import org.arbalest.device.MemoryManager
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.HandLaid
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import kotlin.random.Random

/** Several arrays joined to one in main memory. The result has their rows, one array after the other. */
class ArrayConcatSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val cpu = Devices.cpu()
    val rows = List(13) { it }

    /** Splits the rows into one part for each array. */
    fun cut(all: List<Int>, at: List<Int>): List<List<Int>> =
        (listOf(0) + at + all.size).zipWithNext { from, to -> all.subList(from, to) }

    val partitions = listOf(listOf(1), listOf(5), listOf(8, 8), listOf(0, 3, 4, 11), listOf(13), rows.drop(1))

    for (skipped in listOf(0, 1, 3, 8)) {
        test(
            "native arrays of every type, each with its own dictionary and an offset of $skipped, are joined " +
                "[ARR-12, ARR-21]",
        ) {
            for (type in HandLaid.types) withClue(type) {
                val expected = HandLaid.expected(type, rows)
                for (partition in partitions) withClue(partition) {
                    val arrays = cut(rows, partition).map { HandLaid.imported(type, it, skipped) }
                    val joined = DeviceArray.concat(arrays)
                    arrays.forEach(DeviceArray::close)
                    joined.length() shouldBe rows.size
                    HandLaid.exported(joined) shouldBe expected
                }
            }
        }

        test(
            "slices of one array, out of order and repeated, with an offset of $skipped, are joined [ARR-12, ARR-21]",
        ) {
            val ranges = listOf(5 to 9, 0 to 1, 0 to 0, 3 to 13, 12 to 13, 1 to 9, 3 to 4)
            for (type in HandLaid.types) withClue(type) {
                HandLaid.imported(type, rows, skipped) { array ->
                    val slices = ranges.map { (from, to) -> array.slice(from.toLong(), (to - from).toLong()) }
                    val joined = DeviceArray.concat(slices)
                    slices.forEach(DeviceArray::close)
                    HandLaid.exported(joined) shouldBe
                        HandLaid.expected(type, ranges.flatMap { (from, to) -> rows.subList(from, to) })
                }
            }
        }

        test("batches with a column of every type, with an offset of $skipped, are joined [ARR-12, ARR-21]") {
            val batch = StructType(HandLaid.types.mapIndexed { i, type -> Field.of("$i ${type.format()}", type) })
            val arrays = cut(rows, listOf(2, 9)).map { HandLaid.imported(batch, it, skipped) }
            val joined = DeviceArray.concat(arrays)
            arrays.forEach(DeviceArray::close)
            HandLaid.exported(joined) shouldBe HandLaid.expected(batch, rows)
        }
    }

    test("random slices of batches of every type are joined in order, as Java and as C read them [ARR-21]") {
        val random = Random(15)
        repeat(25) {
            val arrays = List(random.nextInt(1, 6)) {
                val count = random.nextInt(70)
                EveryType.batch(random.nextInt(50), count).use { batch ->
                    val from = random.nextInt(count + 1)
                    batch.slice(from.toLong(), random.nextInt(count - from + 1).toLong())
                }
            }
            DeviceArray.concat(arrays).use { joined -> EveryType.rows(joined) shouldBe arrays.flatMap(EveryType::rows) }
            arrays.forEach(RecordBatch::close)
        }
        val parts = listOf(0 to 20, 20 to 1, 21 to 0, 21 to 39).map { (from, count) -> EveryType.batch(from, count) }
        val joined = DeviceArray.concat(parts)
        parts.forEach(RecordBatch::close)
        EveryType.checksum(joined) shouldBe EveryType.batch(0, 60).use { EveryType.checksum(it.retain()) }
    }

    test("a joined array counts its nulls, and has no bitmap if it has no nulls [ARR-02]") {
        fun numbers(vararg values: Long?): RecordBatch = BatchBuilder.of(cpu, values.size).use { batch ->
            val column = batch.column(Field.of("a", DataType.INT64))
            for (value in values) if (value == null) column.appendNull() else column.append(value)
            batch.build()
        }
        fun joined(
            vararg arrays: RecordBatch,
            look: (RecordBatch, MemorySegment) -> Unit,
        ): Unit = Arena.ofConfined().use { arena ->
            val out = arena.struct(StructKind.ARRAY)
            DeviceArray.concat(arrays.toList()).use { joined ->
                CData.exportArray(joined.retain(), out, CExport.DATA)
                look(joined, MemorySegment.ofAddress(RawArrowArray.child(out.address(), 0))
                    .reinterpret(RawArrowArray.SIZE))
            }
            PeerMoves.release(out, StructKind.ARRAY)
            arrays.forEach(RecordBatch::close)
        }
        joined(numbers(1, null, 3), numbers(4, 5), numbers(null)) { array, column ->
            RawArrowArray.nullCount(column.address()) shouldBe 2
            EveryType.rows(array) shouldBe listOf(1L, null, 3L, 4L, 5L, null).map { mapOf("a" to it) }
        }
        joined(numbers(1, null, 3).use { it.slice(2, 1) }, numbers(4)) { _, column ->
            RawArrowArray.nullCount(column.address()) shouldBe 0
            RawArrowArray.buffer(column.address(), 0) shouldBe 0
        }
    }

    test(
        "arrays without rows, also with NULL buffers, are joined to one with offset 0 and with offsets [ARR-08, " +
            "ARR-19]",
    ) {
        for (type in HandLaid.types) withClue(type) {
            val arrays = listOf(HandLaid.imported(type, rows, 3).use { it.slice(4, 0) },
                HandLaid.imported(type, listOf(), 1), HandLaid.imported(type, listOf(), 0))
            DeviceArray.concat(arrays).use { joined ->
                joined.length() shouldBe 0
                HandLaid.exported(joined.retain()) shouldBe HandLaid.expected(type, listOf())
            }
            arrays.forEach(DeviceArray::close)
        }
        Arena.ofConfined().use { arena ->
            val bare = List(2) {
                CData.importArray(arena.struct(StructKind.ARRAY).also {
                    PeerNodes.array(it, 0, offset = 7, buffers = 3)
                }, CImport.DATA.schema(Field.of("", DataType.UTF8)))
            }
            val out = arena.struct(StructKind.ARRAY)
            CData.exportArray(DeviceArray.concat(bare), out, CExport.DATA)
            bare.forEach(DeviceArray::close)
            RawArrowArray.offset(out.address()) shouldBe 0
            MemorySegment.ofAddress(RawArrowArray.buffer(out.address(), 1)).reinterpret(4)
                .toArray(java.lang.foreign.ValueLayout.JAVA_BYTE).sum() shouldBe 0
            PeerMoves.release(out, StructKind.ARRAY)
        }
    }

    test("a joined array is one allocation of the visible data, and outlives its inputs") {
        val word = "x".repeat(1000)
        val batch = BatchBuilder.of(cpu, 1000).use { it.utf8("word", List(1000) { word }).build() }
        val slices = listOf(batch.slice(500, 2), batch.slice(7, 1))
        val before = ResourceCounters.now()
        val joined = DeviceArray.concat(slices)
        val held = ResourceCounters.now().since(before)
        held.buffers() shouldBe 1
        held.bufferBytes() shouldBeLessThan 4000
        slices.forEach(DeviceArray::close)
        batch.close()
        joined.use { EveryType.rows(it) shouldBe List(3) { mapOf("word" to word) } }
    }

    test("joined slices of one view array copy the data that they share once [ARR-07]") {
        val words = List(100) { it }
        val whole = HandLaid.imported(FlatType.Utf8ViewType(), words, 0)
        val slices = (0 until 100 step 10).map { whole.slice(it.toLong(), 10) }
        val before = ResourceCounters.now()
        val joined = DeviceArray.concat(slices)
        val bytes = ResourceCounters.now().since(before).bufferBytes()
        slices.forEach(DeviceArray::close)
        joined.close()
        whole.use { it.copyTo(cpu) }.use {
            bytes shouldBeLessThanOrEqual ResourceCounters.now().since(before).bufferBytes()
        }
    }

    test("joining a single array copies it, and shares no memory with it") {
        EveryType.batch(3, 9).use { batch ->
            val before = ResourceCounters.now()
            DeviceArray.concat(listOf(batch)).use {
                ResourceCounters.now().since(before).buffers() shouldBe 1
                EveryType.rows(it) shouldBe EveryType.rows(batch)
            }
        }
    }

    test("joining names the index of an array that does not fit, and rejects an empty list") {
        shouldThrow<IllegalArgumentException> { DeviceArray.concat(listOf()) }
        shouldThrow<IllegalArgumentException> { DeviceArray.concat(listOf(), cpu.memory(), cpu.defaultStream()) }
        EveryType.batch(0, 1).use { one ->
            BatchBuilder.of(cpu, 1).use { it.int64("a", longArrayOf(1)).build() }.use { other ->
                val error = shouldThrow<IllegalArgumentException> { DeviceArray.concat(listOf(one, one, other)) }
                error.message shouldContain
                    "arrays[2] and arrays[0] differ: one is \"struct<a: int64> not null\", the first \"struct<"
            }
            val consumed = one.retain().also { it.close() }
            shouldThrow<IllegalStateException> { DeviceArray.concat(listOf(one, consumed)) }
                .message shouldContain "closed"
        }
    }

    test("joining arrays with different metadata keeps the first array's metadata") {
        fun batch(of: String) = BatchBuilder.of(cpu, 1).use {
            it.int64("a", longArrayOf(7)).metadata(Metadata.of(mapOf("of" to of))).build()
        }
        batch("a").use { a ->
            batch("b").use { b ->
                DeviceArray.concat(listOf(a, b)).use { joined ->
                    joined.schema() shouldBe a.schema()
                    EveryType.rows(joined) shouldBe listOf(mapOf("a" to 7L), mapOf("a" to 7L))
                }
            }
        }
    }

    test("joining fails with ENOMEM if the allocator does, and leaks nothing") {
        val poor = object : MemoryAllocator {
            override fun allocate(bytes: Long, alignment: Long): Long =
                throw DeviceException(Errno.ENOMEM, "no memory for $bytes bytes")

            override fun free(address: Long, bytes: Long): Unit = error("cannot free: nothing was allocated")

            override fun isCpuAccessible() = true
        }
        EveryType.batch(0, 10).use { batch ->
            val error = shouldThrow<DeviceException> {
                DeviceArray.concat(listOf(batch, batch), MemoryManager.of(cpu, poor), cpu.defaultStream())
            }
            error.errno() shouldBe Errno.ENOMEM
        }
    }

    test("null arrays and batches without columns are joined") {
        val nothing = DeviceArray.of(Field.of("", FlatType.NullType()), ArrayData.of(3, 3, listOf()))
        DeviceArray.concat(listOf(nothing, nothing)).use { it.length() shouldBe 6 }
        nothing.close()
        BatchBuilder.of(cpu, 2).use { it.build() }.use { batch ->
            DeviceArray.concat(listOf(batch, batch, batch)).use { it.length() shouldBe 6 }
        }
    }
})
