// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.builders

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.columns.Column
import org.arbalest.device.internal.memory.NativeHeap
import org.arbalest.device.support.Balanced
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.StructType
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.math.BigDecimal
import kotlin.random.Random

/** Built views, intervals, dictionaries and bitmaps: the contents of their buffers, and the values that they refuse. */
class ColumnBuilderValuesSpec : FunSpec({
    extension(Balanced)

    fun built(
        type: DataType,
        rows: Int,
        fill: ColumnBuilder.() -> Unit,
        look: (DeviceArray) -> Unit,
    ) = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        batch.column(Field.of("a", type)).fill()
        batch.build().use { array -> array.retainChild(0).use(look) }
    }

    fun DeviceArray.bytes(buffer: Int, from: Int, count: Int): List<Byte> =
        NativeHeap.getBytes(asColumn().bufferAddress(buffer) + from, count).toList()

    fun Column.all(): List<Any?> = (0 until length()).map { get(it) }

    fun refused(
        type: DataType,
        good: ColumnBuilder.() -> Unit,
        bad: ColumnBuilder.() -> Unit,
    ): String = BatchBuilder.of(Devices.cpu(), 2).use { batch ->
        val column = batch.column(Field.of("a", type))
        column.good()
        val thrown = shouldThrow<IllegalArgumentException> { column.bad() }
        withClue("$type: $thrown") { column.length() shouldBe 1 }
        column.good()
        batch.build().close()
        thrown.message!!
    }

    /** Returns the bytes of a view of [text], as the specification defines them. */
    fun view(text: ByteArray, buffer: Int, offset: Int): List<Byte> {
        fun int(value: Int) = List(4) { (value shr 8 * it).toByte() }
        return int(text.size) + if (text.size <= 12) text.toList() + List(12 - text.size) { 0 } else text.take(4) +
            int(buffer) + int(offset)
    }

    test("a view stores 12 bytes or less inline, and otherwise a prefix and the place of the value [BLD-08]") {
        val words = listOf("", "short", "exactly 12 B", "thirteen byte", "a longer text than that")
        for (type in listOf(DataType.UTF8_VIEW, DataType.BINARY_VIEW)) {
            built(type, 6, {
                appendNull()
                for (word in words) if (type == DataType.UTF8_VIEW) append(word) else append(word.encodeToByteArray())
            }) { array ->
                array.bytes(1, 0, 16) shouldBe List(16) { 0.toByte() }
                val offsets = listOf(0, 0, 0, 0, 13)
                words.forEachIndexed { i, word ->
                    array.bytes(1, 16 * (i + 1), 16) shouldBe view(word.encodeToByteArray(), 0, offsets[i])
                }
                array.bytes(2, 0, 36) shouldBe (words[3] + words[4]).encodeToByteArray().toList()
            }
        }
    }

    test("views share buffers of the requested size, and a longer value has its own buffer [BLD-08]") {
        val lengths = listOf(40, 50, 30, 200, 70, 5)
        built(DataType.BINARY_VIEW, 6, {
            viewBufferSize(100).let {
                for ((i, length) in lengths.withIndex()) append(ByteArray(length) { i.toByte() })
            }
        }) { array ->
            val places = listOf(0 to 0, 0 to 40, 1 to 0, 2 to 0, 3 to 0, 0 to 0)
            for ((i, length) in lengths.withIndex()) array.bytes(1, 16 * i, 16) shouldBe
                view(ByteArray(length) { i.toByte() }, places[i].first, places[i].second)
            array.bytes(2, 0, 90) shouldBe List(40) { 0.toByte() } + List(50) { 1.toByte() }
            array.bytes(4, 0, 200) shouldBe List(200) { 3.toByte() }
        }
        refused(DataType.UTF8_VIEW, { append("x") }) { viewBufferSize(0) } shouldContain "data buffers of 0 bytes"
        refused(DataType.UTF8, { append("x") }) { viewBufferSize(5) } shouldContain "does not hold views"
    }

    test("bytes from memory are appended unchanged, and to text only if they are UTF-8 [BLD-09]") {
        Arena.ofConfined().use { arena ->
            val word = arena.allocateFrom("grüße an alle, die das lesen").let { it.asSlice(0, it.byteSize() - 1) }
            val bad = arena.allocate(20).fill('a'.code.toByte()).also {
                it.set(java.lang.foreign.ValueLayout.JAVA_BYTE, 17, -1)
            }
            for (type in listOf(
                DataType.UTF8,
                DataType.LARGE_UTF8,
                DataType.UTF8_VIEW,
                DataType.dictionary(DataType.INT8, DataType.UTF8),
            )) {
                refused(type, { append(word).also { it.length() } }) { append(bad) } shouldContain
                    "20 bytes that are not UTF-8, in row 1"
                refused(type, { append("x") }) { append(bad.asSlice(16, 2)) } shouldContain "2 bytes that are not UTF-8"
            }
            built(DataType.UTF8, 2, { append(word).append(MemorySegment.ofArray("plain".encodeToByteArray())) }) {
                it.asColumn().all() shouldBe listOf("grüße an alle, die das lesen", "plain")
            }
            for (type in listOf(DataType.BINARY, DataType.LARGE_BINARY, DataType.fixedSizeBinary(20))) {
                built(type, 1, { append(bad) }) {
                    (it.asColumn().get(0) as ByteArray).toList() shouldBe
                        bad.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE).toList()
                }
            }
            refused(DataType.fixedSizeBinary(3), { append(ByteArray(3)) }) { append(bad) } shouldContain
                "20 bytes (3), in row 1"
        }
    }

    test("text and binary are appended in bulk in the Arrow layout, if the offsets are valid [BLD-09]") {
        fun ints(vararg values: Int) = MemorySegment.ofArray(values)
        fun longs(vararg values: Long) = MemorySegment.ofArray(values)
        val data = MemorySegment.ofArray("-zoëx!".encodeToByteArray())
        built(DataType.UTF8, 4, { append("a").appendAll(ints(1, 5, 5, 6), data) }) {
            it.asColumn().all() shouldBe listOf("a", "zoë", "", "x")
        }
        built(DataType.LARGE_UTF8, 2, { appendAll(longs(5, 6), data).appendAll(longs(7), data).append("b") }) {
            it.asColumn().all() shouldBe listOf("x", "b")
        }
        built(DataType.BINARY, 1, { appendAll(ints(4, 5), data) }) {
            (it.asColumn().get(0) as ByteArray).toList() shouldBe listOf(0xab.toByte())
        }
        val good: ColumnBuilder.() -> Unit = { append("x") }
        refused(DataType.UTF8, good) { appendAll(ints(1, 5, 3), data) } shouldContain
            "offsets[2] = 3, behind 5, of 7 bytes"
        refused(DataType.UTF8, good) { appendAll(ints(-1, 5), data) } shouldContain "offsets[0] = -1"
        refused(DataType.UTF8, good) { appendAll(ints(1, 8), data) } shouldContain
            "offsets[1] = 8, behind 1, of 7 bytes"
        refused(DataType.UTF8, good) { appendAll(ints(1, 4, 5), data) } shouldContain
            "text that begins within a character, at 4"
        refused(DataType.UTF8, good) {
            appendAll(ints(0, 2), MemorySegment.ofArray(byteArrayOf(-1, 'a'.code.toByte())))
        } shouldContain "not UTF-8"
        refused(DataType.UTF8, good) { appendAll(MemorySegment.ofArray(ByteArray(5)), data) } shouldContain
            "5 bytes are not whole offsets of 4 bytes"
        refused(DataType.INT32, { append(1) }) { appendAll(ints(0, 1), data) } shouldContain
            "does not hold values with offsets"
    }

    test("an interval is stored with the units and the order of its type, or rejected [BLD-10]") {
        built(
            DataType.INTERVAL_YEAR_MONTH, 4, { append(-7).append(Interval(13, 0, 0)).appendAll(intArrayOf(5, 6)) },
        ) { array ->
            List(4) { NativeHeap.getInt(array.asColumn().bufferAddress(1) + 4 * it) } shouldBe listOf(-7, 13, 5, 6)
        }
        built(DataType.INTERVAL_DAY_TIME, 2, { append(Interval(0, -3, -4_000_000)).appendNull() }) { array ->
            List(4) { NativeHeap.getInt(array.asColumn().bufferAddress(1) + 4 * it) } shouldBe listOf(-3, -4, 0, 0)
        }
        built(DataType.INTERVAL_MONTH_DAY_NANO, 2, { append(Interval(1, -2, Long.MIN_VALUE)).appendNull() }) { array ->
            val at = array.asColumn().bufferAddress(1)
            List(2) { NativeHeap.getInt(at + 4 * it) } shouldBe listOf(1, -2)
            List(3) { NativeHeap.getLong(at + 8 + 8 * it) } shouldBe listOf(Long.MIN_VALUE, 0, 0)
        }
        val none: ColumnBuilder.() -> Unit = { append(Interval(0, 0, 0)) }
        refused(DataType.INTERVAL_YEAR_MONTH, none) { append(Interval(1, 2, 0)) } shouldContain
            "the interval of 1 months, 2 days, 0 nanoseconds (months only), in row 1"
        refused(DataType.INTERVAL_YEAR_MONTH, none) { append(1L shl 31) } shouldContain "the integer 2147483648"
        refused(DataType.INTERVAL_DAY_TIME, none) { append(Interval(1, 2, 0)) } shouldContain
            "days, and whole milliseconds"
        refused(DataType.INTERVAL_DAY_TIME, none) { append(Interval(0, 2, 1)) } shouldContain "2 days, 1 nanoseconds"
        refused(DataType.INTERVAL_DAY_TIME, none) {
            append(Interval(0, 2, Long.MAX_VALUE / 1_000_000 * 1_000_000))
        } shouldContain "whole milliseconds of 32 bits"
        refused(DataType.INTERVAL_DAY_TIME, none) { append(5) } shouldContain "does not hold an integer"
        refused(DataType.INT64, { append(1) }) { append(Interval(0, 0, 0)) } shouldContain "does not hold an interval"
    }

    test("a dictionary of any type has each value once, in the order of first use [BLD-11]") {
        val pair = StructType(
            listOf(Field.of("x", DataType.INT32), Field.of("l", DataType.list(Field.of("item", DataType.UTF8)))),
        )
        fun ColumnBuilder.pair(x: Long, vararg words: String) {
            dictionary().child("x").append(x)
            for (word in words) dictionary().child("l").items().append(word)
            dictionary().child("l").appendList(words.size)
            appendStruct()
        }
        val cases = listOf<Pair<DataType, ColumnBuilder.() -> Unit>>(
            DataType.INT64 to { append(7).append(8).append(7).appendNull().append(7) },
            DataType.INT8 to { appendAll(longArrayOf(7, 8, 7)).appendNull().append(7) },
            DataType.FLOAT64 to { append(0.0).append(-0.0).append(0.0).appendNull().append(0.0) },
            DataType.FLOAT16 to { appendAll(floatArrayOf(1.5f, 2.5f, 1.5f)).appendNull().append(1.5) },
            DataType.BOOL to { append(true).append(false).append(true).appendNull().append(true) },
            DataType.decimal128(9, 1) to {
                append(BigDecimal("1.5")).append(2).append(BigDecimal("1.50")).appendNull().append(BigDecimal("1.5"))
            },
            DataType.UTF8 to {
                append("a").append("b").append("a").appendNull().append(MemorySegment.ofArray("a".encodeToByteArray()))
            },
            DataType.UTF8_VIEW to {
                append("a view of many bytes").append("a view of few bytes").append("a view of many bytes").appendNull()
                    .append("a view of many bytes")
            },
            DataType.BINARY to {
                append(byteArrayOf(1)).append(byteArrayOf(1, 2)).append(byteArrayOf(1)).appendNull()
                    .append(byteArrayOf(1))
            },
            DataType.fixedSizeBinary(2) to {
                append(byteArrayOf(1, 2)).append(byteArrayOf(2, 1)).append(byteArrayOf(1, 2)).appendNull()
                    .append(byteArrayOf(1, 2))
            },
            DataType.INTERVAL_MONTH_DAY_NANO to {
                append(Interval(1, 2, 3)).append(Interval(1, 2, 4)).append(Interval(1, 2, 3)).appendNull()
                    .append(Interval(1, 2, 3))
            },
            pair to { pair(1, "a"); pair(1, "a", "b"); pair(1, "a"); appendNull(); pair(1, "a") },
            DataType.fixedSizeList(Field.of("item", DataType.INT8), 2) to {
                for (second in listOf(2L, 3, 2)) dictionary().items().append(1).append(second).also { appendList(2) }
                appendNull().dictionary().items().append(1).append(2)
                appendList(2)
            },
            DataType.map(Field.of("k", DataType.UTF8), Field.of("v", DataType.INT8)) to {
                for (value in listOf(1L, 2, 1)) dictionary().keys().append("key")
                    .also { dictionary().values().append(value) }.also { appendMap(1) }
                appendNull().dictionary().keys().append("key").also { dictionary().values().append(1) }
                    .also { appendMap(1) }
            },
            DataType.denseUnion(Field.of("x", DataType.INT8), Field.of("y", DataType.INT8)) to {
                for (child in listOf("x", "y", "x")) dictionary().child(child).append(7).also { appendUnion(child) }
                appendNull().dictionary().child(0).append(7)
                appendUnion(0)
            },
            DataType.dictionary(DataType.INT8, DataType.UTF8) to {
                append("a").append("b").append("a").appendNull().append("a")
            },
            DataType.listView(Field.of("item", DataType.BOOL)) to {
                for (size in listOf(1, 2, 1)) dictionary().items().appendAll(BooleanArray(size))
                    .also { appendList(size) }
                appendNull().dictionary().items().append(false).also { appendList(1) }
            },
        )
        for ((values, fill) in cases) for (index in listOf(DataType.INT8, DataType.UINT16, DataType.INT64))
            withClue("$values by $index") {
                built(DataType.dictionary(index, values), 5, { fill() }) { array ->
                    array.asColumn().indices().all().map { (it as Number?)?.toInt() } shouldBe listOf(0, 1, 0, null, 0)
                    array.asColumn().dictionary().length() shouldBe 2
                }
            }
        built(DataType.dictionary(DataType.INT8, pair), 2, { pair(1, "a"); pair(1, "a", "b") }) { array ->
            array.asColumn().all() shouldBe
                listOf(mapOf("x" to 1L, "l" to listOf("a")), mapOf("x" to 1L, "l" to listOf("a", "b")))
        }
    }

    test("a dictionary finds each of many values again, in any order [BLD-11]") {
        val random = Random(16)
        val numbers = LongArray(20_000) { random.nextLong(3_000) }
        built(
            DataType.dictionary(DataType.INT32, DataType.INT64), numbers.size, { for (n in numbers) append(n) },
        ) { array ->
            array.asColumn().all() shouldBe numbers.toList()
            array.asColumn().dictionary().all() shouldBe numbers.distinct()
        }
    }

    test("growing indices become as wide as the values need, and other indices reject one value too many [BLD-12]") {
        for ((narrow, wide) in listOf(DataType.INT8 to DataType.INT16, DataType.UINT8 to DataType.UINT16)) {
            BatchBuilder.of(Devices.cpu(), 301).use { batch ->
                val column = batch.column(Field.of("a", DataType.dictionary(narrow, DataType.INT64))).growIndices()
                for (i in 0L until 300) column.append(1000 - i)
                column.append(1000)
                column.field().type() shouldBe DataType.dictionary(wide, DataType.INT64)
                batch.build().use { array -> array.column("a").all() shouldBe List(300) { 1000L - it } + 1000L }
            }
        }
        for ((index, most) in listOf(DataType.INT8 to 127L, DataType.UINT8 to 255L))
            BatchBuilder.of(Devices.cpu(), 257).use { batch ->
                val grown = batch.column(Field.of("a", DataType.dictionary(index, DataType.INT64))).growIndices()
                for (i in 0..most) grown.append(i)
                grown.field().type() shouldBe DataType.dictionary(index, DataType.INT64)
                grown.append(most + 1).field().type() shouldBe
                    DataType.dictionary(IntType(16, index.signed()), DataType.INT64)
                val kept = batch.column(Field.of("b", DataType.dictionary(index, DataType.INT64)))
                for (i in 0..most) kept.append(i)
                shouldThrow<IllegalArgumentException> { kept.append(most + 1) }.message shouldContain
                    "indices count ($most)"
            }
        BatchBuilder.of(Devices.cpu(), 257).use { batch ->
            val column = batch.column(Field.of("a", DataType.dictionary(DataType.UINT8, DataType.INT64)))
            for (i in 0L until 256) column.append(i)
            shouldThrow<IllegalArgumentException> { column.append(256) }.message shouldBe
                "column \"a\", row 256: value 256 of the dictionary is beyond what uint8 indices count (255)"
            column.dictionary().length() shouldBe 256
            column.append(17)
            batch.build().use { it.column("a").all() shouldBe List(256) { it.toLong() } + 17L }
        }
    }

    test("a complete dictionary accepts indices of its values, in bulk or one by one [BLD-13]") {
        val type = DictionaryType(DataType.INT8, Field.of("", DataType.FLOAT32), true)
        built(type, 4, {
            dictionary().appendAll(floatArrayOf(1f, 2f, 3f))
            appendIndices(intArrayOf(2, 0)).appendIndex(1).append(3.0)
        }) { array ->
            array.asColumn().all() shouldBe listOf(3.0, 1.0, 2.0, 3.0)
            array.field().type() shouldBe type
        }
        val good: ColumnBuilder.() -> Unit = { append(1.0) }
        refused(type, good) { appendIndex(1) } shouldBe "column \"a\", row 1: index 1 into a dictionary of 1 values"
        refused(type, good) { appendIndices(intArrayOf(0, 0, -1)) } shouldContain
            "row 3: index -1 into a dictionary of 1 values"
        refused(DataType.INT8, { append(1) }) { appendIndex(0) } shouldContain "does not hold an index"
    }

    test("an append to a dictionary adds no value and no entry if one value does not fit [OWN-15]") {
        BatchBuilder.of(Devices.cpu(), 3).use { batch ->
            val column = batch.column(Field.of("a", DataType.dictionary(DataType.INT8, DataType.INT16))).append(1)
            shouldThrow<IllegalArgumentException> { column.appendAll(longArrayOf(2, 3, 70_000)) }.message shouldContain
                "the integer 70000 (-32768 to 32767), in row 3"
            column.dictionary().length() shouldBe 1
            column.append(3).append(2)
            batch.build().use { it.column("a").dictionary().all() shouldBe listOf(1L, 3L, 2L) }
        }
        BatchBuilder.of(Devices.cpu(), 2).use { batch ->
            val pair = StructType(listOf(Field.of("x", DataType.INT32), Field.of("y", DataType.INT32)))
            val column = batch.column(Field.of("a", DataType.dictionary(DataType.INT8, pair)))
            column.dictionary().child("x").append(1)
            shouldThrow<IllegalStateException> { column.appendStruct() }.message shouldContain
                "but its field \"y\" has 0"
            column.dictionary().length() shouldBe 0
            column.dictionary().child("y").append(2)
            column.appendStruct().appendNull()
            batch.build().use { it.column("a").all() shouldBe listOf(mapOf("x" to 1L, "y" to 2L), null) }
        }
    }

    test("a value of a dictionary is in the bitmap even if the dictionary's length is never read [BLD-01]") {
        BatchBuilder.of(Devices.cpu(), 1).use { batch ->
            val column = batch.column(Field.of("a", DataType.dictionary(DataType.INT8, DataType.INT64)))
            column.dictionary().appendNull()
            column.appendIndex(0).dictionary().append(7)
            batch.build().use { it.column("a").dictionary().all() shouldBe listOf(null, 7L) }
        }
    }

    test("nulls that are appended or set later, among single and bulk values, produce the right bitmap [BLD-01]") {
        val random = Random(7)
        repeat(300) { round ->
            val expected = ArrayList<Long?>()
            val rows = random.nextInt(1, 400)
            BatchBuilder.of(Devices.cpu(), rows).use { batch ->
                val column = batch.column(Field.of("a", if (round % 2 == 0) DataType.INT64 else DataType.INT16))
                while (expected.size < rows) {
                    val more = minOf(rows - expected.size, random.nextInt(1, 150))
                    when (random.nextInt(5)) {
                        0 -> repeat(more) { column.appendNull(); expected.add(null) }
                        1 -> repeat(more) { column.append(it.toLong()); expected.add(it.toLong()) }
                        2 -> column.appendAll(LongArray(more) { it.toLong() }).also {
                            expected.addAll(List(more) { it.toLong() })
                        }
                        3 -> shouldThrow<IllegalArgumentException> { column.appendAll(DoubleArray(more)) }
                        else -> {
                            val nulls = expected.indices.filter { random.nextInt(20) == 0 }.toSet()
                            column.setNulls { it in nulls }
                            for (i in nulls) expected[i] = null
                        }
                    }
                }
                batch.build().use { array ->
                    array.column("a").all() shouldBe expected
                    array.column("a").nullCount() shouldBe expected.count { it == null }
                }
            }
        }
    }
})
