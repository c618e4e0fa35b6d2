// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceBuffer
import org.arbalest.device.Devices
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.Period
import java.time.ZoneId

/** The views of types other than numbers, text and lists, on arrays whose buffers are built here. */
class ViewsTypesSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun bytes(bytes: ByteArray): DeviceBuffer =
        Devices.cpu().allocate(bytes.size.toLong()).also { it.segment().copyFrom(MemorySegment.ofArray(bytes)) }

    fun buffer(width: Int, vararg values: Long): DeviceBuffer =
        bytes(ByteArray(width * values.size) { (values[it / width] shr 8 * (it % width)).toByte() })

    /** Creates values of one width. The values from index [valid] on are null. */
    fun flat(width: Int, vararg values: Long, valid: Int = values.size): ArrayData =
        ArrayData.of(values.size.toLong(), -1, listOf(buffer(1, (1L shl valid) - 1), buffer(width, *values)))

    fun words(vararg words: String): ArrayData {
        val offsets = words.runningFold(0L) { end, word -> end + word.length }
        val buffers = listOf(null, buffer(4, *offsets.toLongArray()), bytes(words.joinToString("").encodeToByteArray()))
        return ArrayData.of(words.size.toLong(), 0, buffers)
    }

    fun array(type: DataType, data: ArrayData): DeviceArray = DeviceArray.of(Field.of("x", type), data)

    test("intervals are read as periods or added to dates and times, and a null stays null [READ-01]") {
        array(DataType.INTERVAL_YEAR_MONTH, flat(4, 14, -1, 9, valid = 2)).use { array ->
            array.asColumn().periods().toList() shouldBe listOf(Period.ofMonths(14), Period.ofMonths(-1), null)
            array.asColumn().intervals()[1] shouldBe Interval(-1, 0, 0)
        }
        array(DataType.INTERVAL_DAY_TIME, flat(8, 3L + (250L shl 32), 5, valid = 1)).use { array ->
            val intervals = array.asColumn().intervals()
            intervals.toList() shouldBe listOf(Interval(0, 3, 250_000_000), null)
            LocalDateTime.of(2024, 2, 27, 0, 0) + intervals[0] shouldBe
                LocalDateTime.of(2024, 3, 1, 0, 0, 0, 250_000_000)
            shouldThrow<IllegalArgumentException> { array.asColumn().periods() }.message shouldContain
                "cannot be read as periods"
            shouldThrow<NoSuchElementException> { intervals[1] }
        }
    }

    test("timestamps are read in their zone, and dates and instants through dictionaries and run ends [READ-01]") {
        array(DataType.timestamp(ArrowTimeUnit.SECOND, "Europe/Oslo"), flat(8, 0, 1, valid = 1)).use { array ->
            array.asColumn().zonedDateTimes().toList() shouldBe
                listOf(Instant.EPOCH.atZone(ZoneId.of("Europe/Oslo")), null)
        }
        array(DataType.timestamp(ArrowTimeUnit.SECOND, null), flat(8, 0)).use { array ->
            shouldThrow<IllegalArgumentException> { array.asColumn().zonedDateTimes() }.message shouldContain
                "cannot be read as dates and times in a zone"
        }
        val indices = flat(1, 1, 0, 1, 7, valid = 3)
        val days = ArrayData(4, -1, 0, indices.buffers(), emptyList(), flat(4, 0, 1))
        array(DataType.dictionary(DataType.INT8, DataType.DATE32), days).use { array ->
            val second = LocalDate.of(1970, 1, 2)
            array.asColumn().dates().toList() shouldBe listOf(second, LocalDate.EPOCH, second, null)
        }
        val runs = ArrayData.of(5, 0, emptyList(), listOf(flat(4, 2, 5), flat(8, 7, 8, valid = 1)))
        array(
            DataType.runEndEncoded(DataType.INT32, Field.of("v", DataType.timestamp(ArrowTimeUnit.SECOND, "UTC"))),
            runs,
        ).use { array ->
            array.asColumn().instants().toList() shouldBe
                listOf(Instant.ofEpochSecond(7), Instant.ofEpochSecond(7), null, null, null)
            array.asColumn().instants().nullCount shouldBe 3
        }
    }

    test("runs() returns the start, the end and the row of the value of each run [READ-03]") {
        val data = ArrayData.of(6, 0, emptyList(), listOf(flat(2, 2, 5, 6), flat(8, 10, 20, 30, valid = 2)))
        array(DataType.runEndEncoded(DataType.INT16, Field.of("v", DataType.INT64)), data).use { array ->
            array.slice(1, 5).use { slice ->
                val column = slice.asColumn()
                column.decimals().map { it?.toLong() } shouldBe listOf(10L, 20L, 20L, 20L, null)
                val runs = column.runs()
                val values = runs.values().longs()
                val seen = mutableListOf<Triple<Int, Int, Long?>>()
                runs.forEach { start, end, value -> seen += Triple(start, end, values.getOrNull(value)) }
                seen shouldBe listOf(Triple(0, 1, 10L), Triple(1, 4, 20L), Triple(4, 5, null))
            }
        }
    }

    test("maps() reads maps in the order of their keys, and lists() reads the entries as columns [READ-08]") {
        val keys = Field.of("key", DataType.UTF8)
        val entries = ArrayData.of(3, 0, listOf(null), listOf(words("a", "b", "c"), flat(8, 1, 2, 3, valid = 2)))
        val data = ArrayData.of(3, 1, listOf(buffer(1, 0b101), buffer(4, 0, 2, 2, 3)), listOf(entries))
        array(DataType.map(keys, Field.of("value", DataType.INT64)), data).use { array ->
            val maps = array.asColumn().maps()
            maps.toList() shouldBe listOf(mapOf("a" to 1L, "b" to 2L), null, mapOf("c" to null))
            maps[0]["b"] shouldBe 2L
            array.asColumn().lists()[0].column(0).strings().toList() shouldBe listOf("a", "b")
            shouldThrow<IllegalArgumentException> { array.asColumn().structs() }.message shouldContain
                "cannot be read as structs"
        }
    }

    test("unions() returns the type, the value and the row in the type's own column [READ-06]") {
        val fields = listOf(Field.of("number", DataType.INT64), Field.of("word", DataType.UTF8))
        val data = ArrayData.of(4, 0, listOf(buffer(1, 3, 0, 3, 3), buffer(4, 0, 0, 1, 2)),
            listOf(flat(8, 10, 20, 30, valid = 2), words("Oslo")))
        array(UnionType(UnionMode.DENSE, listOf(3, 0), fields), data).use { array ->
            val unions = array.asColumn().unions()
            unions.toList() shouldBe listOf(10L, "Oslo", 20L, null)
            unions.indices.map(unions::typeId) shouldBe listOf(3, 0, 3, 3)
            unions.field(1) shouldBe fields[1]
            unions[1] shouldBe "Oslo"
            val numbers = array.asColumn()["number"].longs()
            numbers[unions.childRow(2)] shouldBe 20
            shouldThrow<NoSuchElementException> { unions[3] }
            listOf(unions.nullCount, unions.isNull(3)) shouldBe listOf(1, true)
            shouldThrow<IllegalArgumentException> { array.asColumn().decimals()[1] }.message shouldBe
                "column \"x.word\" of type utf8 cannot be read as a decimal; getString and getBytes read it"
            shouldThrow<IllegalArgumentException> { array.asColumn().column(0).unions() }.message shouldContain
                "cannot be read as unions"
        }
    }

    test("text views, structs and list views are read like the other layouts of their types [READ-01]") {
        val long = "more than twelve"
        val view = "oslo".encodeToByteArray().copyOf(12)
        val views = bytes(byteArrayOf(4, 0, 0, 0) + view + byteArrayOf(long.length.toByte()) + ByteArray(15))
        array(DataType.UTF8_VIEW, ArrayData.of(2, 0, listOf(null, views, bytes(long.encodeToByteArray()))))
            .use { array ->
                array.asColumn().strings().toList() shouldBe listOf("oslo", long)
            }
        val lists = ArrayData.of(2, 0, listOf(null, buffer(4, 1, 0), buffer(4, 2, 3)), listOf(flat(8, 7, 8, 9)))
        array(DataType.listView(Field.of("item", DataType.INT64)), lists).use { array ->
            array.asColumn().lists().map { it!!.longs().toList() } shouldBe listOf(listOf(8L, 9L), listOf(7L, 8L, 9L))
            array.asColumn()[0] shouldBe listOf(8L, 9L)
        }
        val pairs = ArrayData.of(2, 1, listOf(buffer(1, 1)), listOf(flat(8, 1, 2), words("a", "b")))
        array(DataType.struct(Field.of("n", DataType.INT64), Field.of("w", DataType.UTF8)), pairs).use { array ->
            array.asColumn().structs().toList() shouldBe listOf(mapOf("n" to 1L, "w" to "a"), null)
        }
    }
})
