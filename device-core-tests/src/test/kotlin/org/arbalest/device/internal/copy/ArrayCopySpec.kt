// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.Device
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.RawArray
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import java.nio.ByteBuffer

/** Copies of arrays within main memory: their content and their size. The backends' contract tests other devices. */
class ArrayCopySpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val cpu: Device = Devices.cpu()

    fun DeviceArray.copied(): DeviceArray = use { it.copyTo(cpu) }

    for ((from, count) in listOf(
        0L to 30L, 0L to 0L, 1L to 29L, 7L to 16L, 8L to 8L, 13L to 17L, 29L to 1L, 30L to 0L,
    )) {
        test(
            "a copy of rows $from to ${from + count} of every type has the same content, and so has a copy of the " +
                "copy",
        ) {
            EveryType.batch(5, 30).use { batch ->
                val expected = batch.slice(from, count).use { EveryType.rows(it) to EveryType.checksum(it.retain()) }
                batch.slice(from, count).copied().use { copy ->
                    EveryType.rows(copy) to EveryType.checksum(copy.retain()) shouldBe expected
                    copy.slice(0, count).copied().use { EveryType.rows(it) shouldBe expected.first }
                }
            }
        }
    }

    test("a copy of a slice's child has only the visible rows") {
        EveryType.batch(0, 40).use { batch ->
            batch.slice(11, 20).use { slice ->
                for (index in batch.schema().fields().indices) {
                    val expected = slice.retainChild(index).use(EveryType::rows)
                    slice.retainChild(index).copied().use { EveryType.rows(it) shouldBe expected }
                }
            }
        }
    }

    test("a copy is one allocation, and outlives its source") {
        val before = ResourceCounters.now()
        val copy = EveryType.batch(0, 100).copied()
        ResourceCounters.now().since(before).buffers() shouldBe 1
        copy.use { EveryType.rows(it).size shouldBe 100 }
    }

    test("a copy of a few rows has only the text of those rows") {
        val word = "x".repeat(1000)
        BatchBuilder.of(cpu, 1000).use { it.utf8("word", List(1000) { word }).build() }.use { batch ->
            val before = ResourceCounters.now()
            batch.slice(500, 3).use { it.copyTo(cpu) }.use { copy ->
                ResourceCounters.now().since(before).bufferBytes() shouldBeLessThan 5_000
                copy.column("word").getString(2) shouldBe word
                copy.column("word").length() shouldBe 3
            }
        }
    }

    // Row 3 is the first visible row. A bitmap is copied from row 0 on.
    val hiddenText = { type: DataType, offsets: ByteBuffer ->
        RawArray(Field.of("text", type), 4, -1, 3,
            mutableListOf(RawArray.bytes(0x77), offsets, ByteBuffer.wrap("abcd".toByteArray())))
    }
    val plainText = { nulls: Byte? ->
        RawArray(
            Field.of("text", DataType.UTF8), 7, -1, 0,
            mutableListOf(nulls?.let { RawArray.bytes(it) }, RawArray.ints(-5, 0, 0, 0, 1, 2, 3, 4),
                ByteBuffer.wrap("abcd".toByteArray())),
        )
    }
    val hidden = listOf(
        hiddenText(DataType.UTF8, RawArray.ints(-5, 0, 0, 0, 1, 2, 3, 4)),
        hiddenText(DataType.UTF8, RawArray.ints(99, -1, 7, 0, 1, 2, 3, 4)),
        hiddenText(DataType.BINARY, RawArray.ints(-5, 0, 0, 1, 1, 2, 3, 4)),
        hiddenText(DataType.LARGE_UTF8, RawArray.longs(-5, 0, 0, 0, 1, 2, 3, 4)),
        plainText(null).let { text ->
            RawArray(Field.of("structs", NestedType.StructType(listOf(text.field))), 4, -1, 3,
                mutableListOf(RawArray.bytes(0x77)), listOf(text))
        },
        plainText(0x5f).let { text ->
            val inner = RawArray(Field.of("inner", NestedType.StructType(listOf(text.field))), 7, -1, 0,
                mutableListOf(RawArray.bytes(0x6f)), listOf(text))
            RawArray(Field.of("structs", NestedType.StructType(listOf(inner.field))), 4, -1, 3,
                mutableListOf(RawArray.bytes(0x77)), listOf(inner))
        },
        plainText(null).let { text ->
            val union = NestedType.UnionType(NestedType.UnionMode.SPARSE, listOf(0), listOf(text.field))
            val values = RawArray(Field.of("union", union), 7, 0, 0, mutableListOf(RawArray.blank(7)), listOf(text))
            RawArray(Field.of("structs", NestedType.StructType(listOf(values.field))), 4, -1, 3,
                mutableListOf(RawArray.bytes(0x77)), listOf(values))
        },
        plainText(null).let { text ->
            val lists = NestedType.FixedSizeListType(text.field, 1)
            RawArray(Field.of("lists", lists), 4, -1, 3, mutableListOf(RawArray.bytes(0x77)), listOf(text))
        },
        RawArray(Field.of("item", DataType.INT8), 4, 0, 0, mutableListOf(null, RawArray.bytes(1, 2, 3, 4)))
            .let { items ->
                val lists = NestedType.ListType(items.field)
                RawArray(Field.of("lists", lists), 4, -1, 3,
                    mutableListOf(RawArray.bytes(0x77), RawArray.ints(-5, 0, 0, 0, 1, 2, 3, 4)), listOf(items))
            },
    )
    for ((i, raw) in hidden.withIndex()) {
        test("a copy does not read the rows before the offset, case $i of type ${raw.type} [ARR-12]") {
            Arena.ofConfined().use { arena ->
                CData.importArray(raw.laid(arena), CImport.DATA.schema(raw.field).validation(Validation.FULL))
                    .use { array ->
                        array.copyTo(cpu).use { copy ->
                            copy.difference(array) shouldBe null
                            copy.validate(Validation.FULL)
                            copy.slice(1, 2).copied().use { again ->
                                array.slice(1, 2).use { again.difference(it) shouldBe null }
                            }
                        }
                    }
            }
        }
    }

    test("C reads the copy of a batch without rows that has text and lists [ARR-08]") {
        val schema = Schema.of(listOf(Field.of("text", DataType.UTF8),
            Field.of("list", NestedType.ListType(Field.of("item", DataType.INT8)))))
        BatchBuilder.of(cpu, 0).use {
            it.utf8("text", listOf())
            it.column(schema.fields()[1])
            it.build()
        }.use { it.copyTo(cpu) }.use { copy ->
            copy.length() shouldBe 0
            EveryType.checksum(copy.retain())
            copy.column("text").toString() shouldContain "text"
        }
    }

    test("copying offsets that go backwards fails with the path and the numbers, and leaks nothing") {
        val offsets = cpu.allocate(16)
        offsets.segment().asByteBuffer().order(java.nio.ByteOrder.nativeOrder()).putInt(5).putInt(9).putInt(3).putInt(7)
        val text = ArrayData.of(3, 0, listOf(null, offsets, cpu.allocate(10)))
        DeviceArray.of(
            Schema.of(listOf(Field.of("name", DataType.UTF8))).asField(),
            ArrayData.of(3, 0, listOf(null), listOf(text)),
        ).use { batch ->
            val error = shouldThrow<DeviceException> { batch.copyTo(cpu) }
            error.errno() shouldBe Errno.EINVAL
            error.message shouldContain "$.name: offsets[1] = 9 is not between 5 and 7"
        }
    }

    test("copying on the device's default stream succeeds, and on a closed stream fails") {
        EveryType.batch(0, 1).use { batch ->
            batch.copyTo(cpu, cpu.defaultStream()).close()
            shouldThrow<IllegalStateException> { cpu.createStream().also { it.close() }.let { batch.copyTo(cpu, it) } }
                .message shouldContain "closed"
        }
    }

    test("copying a closed array fails") {
        val batch = EveryType.batch(0, 1)
        batch.close()
        shouldThrow<IllegalStateException> { batch.copyTo(cpu) }.message shouldContain "the array was closed: "
    }
})
