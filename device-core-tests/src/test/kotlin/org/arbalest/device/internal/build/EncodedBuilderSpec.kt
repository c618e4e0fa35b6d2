// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.columns.Column
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.memory.NativeHeap
import org.arbalest.device.objects.ExtensionCodec
import org.arbalest.device.support.Balanced
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout.JAVA_BYTE
import java.math.BigDecimal

/** The cost of repeated and of rejected values: memory, digits and indices. */
class EncodedBuilderSpec : FunSpec({
    extension(Balanced)

    fun <T> built(
        type: DataType,
        rows: Int,
        fill: ColumnBuilder.() -> Unit,
        look: (DeviceArray) -> T,
    ): T = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        batch.column(Field.of("a", type)).fill()
        batch.build().use { array -> array.retainChild(0).use(look) }
    }

    fun Column.all(): List<Any?> = (0 until length()).map { get(it) }

    /** Returns the sizes of the data buffers of the column or of its dictionary, as C sees them. */
    fun DeviceArray.dataSizes(): List<Long> = Arena.ofConfined().use { arena ->
        val out = arena.allocate(RawArrowArray.SIZE, 8)
        CData.exportArray(retain(), out, CExport.DATA)
        val own = out.address()
        val views = if (RawArrowArray.dictionary(own) != 0L) RawArrowArray.dictionary(own) else own
        val count = RawArrowArray.nBuffers(views) - 3
        val sizes = RawArrowArray.buffer(views, count + 2)
        List(count.toInt()) { NativeHeap.getLong(sizes + 8L * it) }.also {
            CData.importArray(out, CImport.DATA.schema(field())).close()
        }
    }

    test("a repeated or rejected long value adds no buffer to a dictionary or to run-ends [BLD-08]") {
        val value = "twenty bytes of text"
        for (type in listOf(
            DataType.dictionary(DataType.INT8, DataType.UTF8_VIEW),
            DataType.runEndEncoded(DataType.INT32, Field.of("v", DataType.UTF8_VIEW)),
        )) withClue(type) {
            val bytes = MemorySegment.ofArray(value.encodeToByteArray())
            built(type, 20_001, {
                if (type.format() == "+r") values().viewBufferSize(16) else dictionary().viewBufferSize(16)
                repeat(20_000) { append(bytes) }
                val wrong = MemorySegment.ofArray(ByteArray(20) { -1 })
                repeat(100) {
                    shouldThrow<IllegalArgumentException> { append(wrong) }.message shouldContain "not UTF-8"
                }
                append("another of some bytes")
            }) { array ->
                array.asColumn().get(19_999) shouldBe value
                array.asColumn().get(20_000) shouldBe "another of some bytes"
                if (type.format() != "+r") array.dataSizes() shouldBe listOf(20L, 21L)
            }
        }
    }

    test("a data buffer is as long as its values, and holds several only within the requested size [BLD-08]") {
        built(DataType.BINARY_VIEW, 7, {
            viewBufferSize(100)
            for (length in listOf(40, 50, 30, 200, 70, 5, 13)) append(ByteArray(length) { length.toByte() })
        }) { array ->
            array.dataSizes() shouldBe listOf(90L, 30, 200, 83)
            array.asColumn().all().map { (it as ByteArray).size } shouldBe listOf(40, 50, 30, 200, 70, 5, 13)
        }
    }

    test("text from native or heap memory is checked, and a failed append leaves nothing [BLD-09]") {
        val text = "grüße, an alle".encodeToByteArray()
        Arena.ofConfined().use { arena ->
            val native = arena.allocate(text.size.toLong()).also {
                MemorySegment.copy(text, 0, it, JAVA_BYTE, 0, text.size)
            }
            val closed = Arena.ofConfined().use { it.allocate(9) }
            for (type in listOf(DataType.UTF8, DataType.LARGE_UTF8, DataType.UTF8_VIEW))
                for (value in listOf(native, MemorySegment.ofArray(text))) withClue("$type $value") {
                    built(type, 4, {
                        append(value)
                        for (size in listOf(2L, 9L, 16L)) {
                            shouldThrow<IllegalArgumentException> {
                                append(MemorySegment.ofArray(ByteArray(size.toInt()) { -61 }))
                            }.message shouldContain "$size bytes that are not UTF-8"
                            append(value.asSlice(0, 2))
                        }
                        shouldThrow<IllegalStateException> { append(closed) }
                        length() shouldBe 4
                    }) { array -> array.asColumn().all() shouldBe listOf("grüße, an alle", "gr", "gr", "gr") }
                }
        }
    }

    test("a dictionary of a dictionary finds its values again after the inner indices grew [BLD-12]") {
        for (inner in listOf(DataType.INT8, DataType.UINT8)) {
            val type = DataType.dictionary(DataType.INT16, DataType.dictionary(inner, DataType.INT64))
            built(type, 400, {
                dictionary().growIndices()
                for (i in 0L until 300) append(i)
                for (i in 0L until 300 step 3) append(i)
            }) { array ->
                array.asColumn().dictionary().length() shouldBe 300
                array.asColumn().all() shouldBe List(300) { it.toLong() } + (0L until 300 step 3)
            }
        }
    }

    test("a decimal is rejected by its exponent, before its digits are computed, and a zero is accepted [BLD-14]") {
        for (type in listOf(
            DataType.decimal128(38, 2), DataType.decimal256(76, 2), DataType.decimal32(9, 2), DataType.decimal64(18, 2),
        )) withClue(type) {
            built(type, 6, {
                for (huge in listOf("1E+100000000", "-7E+2147483000"))
                    shouldThrow<IllegalArgumentException> { append(BigDecimal(huge)) }.message shouldContain "precision"
                for (tiny in listOf("1E-100000000", "-7E-2147483000", "0.001"))
                    shouldThrow<IllegalArgumentException> { append(BigDecimal(tiny)) }.message shouldContain "(scale 2)"
                append(BigDecimal("0E+100000000")).append(BigDecimal("0E-100000000")).append(BigDecimal("1.50000"))
                    .append(12).append(-12).append(BigDecimal("3E1"))
            }) { array ->
                array.asColumn().all() shouldBe listOf(
                    "0.00", "0.00", "1.50", "12.00", "-12.00", "30.00",
                ).map(::BigDecimal)
            }
        }
        built(DataType.decimal32(3, 1), 2, {
            for (value in listOf(100L, -100, Long.MAX_VALUE, Long.MIN_VALUE))
                shouldThrow<IllegalArgumentException> { append(value) }.message shouldContain
                    "the decimal $value, which takes ${"$value".trimStart('-').length + 1} digits (precision 3)"
            append(99).append(-99)
        }) { array -> array.asColumn().all() shouldBe listOf("99.0", "-99.0").map(::BigDecimal) }
        built(DataType.decimal128(38, 18), 2, { append(Long.MAX_VALUE).append(Long.MIN_VALUE) }) { array ->
            array.asColumn().all() shouldBe listOf(Long.MAX_VALUE, Long.MIN_VALUE).map { BigDecimal(it).setScale(18) }
        }
    }

    test("errors of dictionaries and run-ends name the type of the values and how to append them [BLD-11]") {
        val lists = DataType.list(Field.of("item", DataType.INT32))
        BatchBuilder.of(Devices.cpu(), 0).use { batch ->
            val column = batch.column(Field.of("d", DataType.dictionary(DataType.INT8, lists)))
            for (append in listOf<ColumnBuilder.() -> Unit>(
                { appendLists(intArrayOf(1)) }, { appendListView(0, 1) }, { items() },
            )) {
                shouldThrow<IllegalArgumentException> { column.append() }.message.let {
                    it shouldContain
                        "column \"d\" of type dictionary<values=list<item: int32>, indices=int8> does not hold a list"
                    it shouldContain "one by one, and their parts to dictionary()"
                }
            }
            val runs =
                batch.column(Field.of("r", DataType.runEndEncoded(DataType.INT16, Field.of("v", DataType.INT32))))
            shouldThrow<IllegalArgumentException> { runs.appendAll(MemorySegment.ofArray(intArrayOf(1))) }
                .message shouldContain
                "column \"r\" of type run_end_encoded<run_ends: int16 not null, v: int32> does not hold"
        }
    }

    test("indices that grew become narrow again if a value of the same call is rejected [OWN-15, BLD-12]") {
        BatchBuilder.of(Devices.cpu(), 3).use { batch ->
            val type = DataType.dictionary(DataType.UINT8, DataType.INT16)
            val column = batch.column(Field.of("a", type)).growIndices().append(7).append(8)
            shouldThrow<IllegalArgumentException> {
                column.appendAll(LongArray(300) { if (it == 299) 70_000 else it.toLong() })
            }
            column.field().type() shouldBe type
            column.append(7)
            batch.build().use { it.column("a").all() shouldBe listOf(7L, 8L, 7L) }
        }
    }

    // Elements may be appended ahead of the list-views that refer to them. A repeated value removes none of them.
    val views = DataType.listView(Field.of("item", DataType.INT8))
    val ahead: ColumnBuilder.(ColumnBuilder, ColumnBuilder) -> Unit = { lists, values ->
        lists.items().appendAll(byteArrayOf(1, 2, 3, 4, 5))
        lists.appendListView(0, 2)
        if (lists !== values) values.appendStruct()
        if (field().type().format() == "+r") appendRun(1) else appendIndex(0)
        lists.items().appendAll(byteArrayOf(6, 7, 8, 9, 10))
    }

    test("elements that were appended ahead stay when run-ends repeat a list-view [BLD-02, BLD-08]") {
        built(DataType.runEndEncoded(DataType.INT32, Field.of("v", views)), 4, {
            ahead(values(), values())
            appendNull().appendNull()
            values().appendListView(5, 2)
            appendRun(1)
        }) {
            it.asColumn().all().map { list ->
                list as List<*>?
            } shouldBe listOf(listOf(1L, 2L), null, null, listOf(6L, 7L))
        }
    }

    test("elements that were appended ahead stay when a struct or a dictionary repeats a list-view [BLD-02, BLD-08]") {
        val struct = DataType.struct(Field.of("l", views))
        built(DataType.runEndEncoded(DataType.INT32, Field.of("v", struct)), 4, {
            ahead(values().child("l"), values())
            appendNull().appendNull()
            values().child("l").appendListView(5, 2)
            values().appendStruct()
            appendRun(1)
        }) {
            it.asColumn().all().map { row ->
                (row as Map<*, *>?)?.get("l")
            } shouldBe listOf(listOf(1L, 2L), null, null, listOf(6L, 7L))
        }
        for (type in listOf(DataType.dictionary(DataType.INT8, views))) {
            built(type, 4, {
                ahead(dictionary(), dictionary())
                dictionary().appendListView(0, 2) // the same as value 0
                dictionary().appendListView(5, 2)
                appendIndex(1).appendIndex(2).appendNull()
            }) { it.asColumn().all() shouldBe listOf(listOf(1L, 2L), listOf(1L, 2L), listOf(6L, 7L), null) }
        }
    }

    test("after a repeated list, the next list has the elements that were appended after it [BLD-02]") {
        built(DataType.runEndEncoded(DataType.INT32, Field.of("v", views)), 3, {
            values().items().append(1).append(2)
            appendList(2)
            values().items().append(1).append(2)
            appendList(2)
            values().items().append(3).append(4)
            appendList(2)
        }) { it.asColumn().all() shouldBe listOf(listOf(1L, 2L), listOf(1L, 2L), listOf(3L, 4L)) }
    }

    test("repeated lists that are appended by size keep their elements once [BLD-02, BLD-08]") {
        for (type in listOf(
            DataType.dictionary(DataType.INT8, views), DataType.runEndEncoded(DataType.INT32, Field.of("v", views)),
        )) {
            built(type, 1000, {
                val lists = if (type.format() == "+r") values() else dictionary()
                repeat(1000) {
                    lists.items().append(1).append(2)
                    appendList(2)
                }
                lists.items().length() shouldBe 2
            }) { it.asColumn().get(999) shouldBe listOf(1L, 2L) }
        }
    }

    test("indices in runs that grew become narrow again if the value is rejected [OWN-15, BLD-12]") {
        val words = DataType.dictionary(DataType.INT8, DataType.UTF8)
        BatchBuilder.of(Devices.cpu(), 32_767).use { batch ->
            val column = batch.column(Field.of("a", DataType.runEndEncoded(DataType.INT16, Field.of("v", words))))
            column.values().growIndices()
            for (i in 0 until 128) column.append("$i")
            column.values().append("127")
            column.appendRun(32_767L - 128)
            shouldThrow<IllegalArgumentException> { column.append("one more") }
            column.field().type().children()[1].type() shouldBe words
            batch.build().use { it.column("a").get(127) shouldBe "127" }
        }
    }

    test("a failed codec takes back its own elements, but none that were appended ahead [OWN-15, BLD-02]") {
        val codec = ExtensionCodec.of("pairs", LongArray::class.java, views, { _, _ -> longArrayOf() },
            { column, pair ->
                for (each in pair) column.items().append(each)
                column.appendList(pair.size)
                check(pair.size == 2) { "no pair" }
            })
        BatchBuilder.of(Devices.cpu(), 2).use { batch ->
            val column = batch.column(codec.field("a"))
            column.items().appendAll(byteArrayOf(1, 2))
            column.appendListView(0, 2)
            shouldThrow<IllegalStateException> { codec.append(column, longArrayOf(7, 8, 9)) }.message shouldBe "no pair"
            codec.append(column, longArrayOf(3, 4))
            batch.build().use { it.column("a").storage().all() shouldBe listOf(listOf(1L, 2L), listOf(3L, 4L)) }
        }
    }

    test("list-views that are all null may have elements to which no list refers [BLD-02]") {
        built(views, 2, {
            appendNull().appendNull()
            items().append(1)
        }) { it.asColumn().all() shouldBe listOf(null, null) }
    }

    test("a dictionary's value that becomes null is not found again, so the same text is appended anew [BLD-08]") {
        for (append in listOf<ColumnBuilder.(String) -> Unit>(
            { append(it) }, { append(MemorySegment.ofArray(it.encodeToByteArray())) },
        )) {
            built(DataType.dictionary(DataType.INT8, DataType.UTF8), 2, {
                append("a")
                dictionary().setNulls { true }
                append("a")
            }) { it.asColumn().all() shouldBe listOf(null, "a") }
        }
        built(DataType.dictionary(DataType.INT8, DataType.struct(Field.of("s", DataType.UTF8))), 2, {
            dictionary().child("s").append("a")
            appendStruct()
            dictionary().child("s").setNulls { true }
            dictionary().child("s").append("a")
            appendStruct()
        }) { it.asColumn().all() shouldBe listOf(mapOf("s" to null), mapOf("s" to "a")) }
    }
})
