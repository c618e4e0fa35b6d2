// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import org.arbalest.device.ArrayData
import org.arbalest.device.Conversion
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.columns.Selection
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment

/** Text, elements and values that no row of a result refers to, and that it must not keep. */
class SpareMemorySpec : FunSpec({
    extension(ResourceCountersExtension)

    val rows = 1000

    fun text(row: Int) = "the text of row $row, which is longer than a view"

    fun column(type: DataType, append: ColumnBuilder.(Int) -> Unit): RecordBatch =
        BatchBuilder.of(Devices.cpu(), rows).use { batch ->
            val column = batch.column(Field.of("a", type))
            repeat(rows) { column.append(it) }
            batch.build()
        }

    fun views(type: DataType = DataType.UTF8_VIEW) = column(type) { row ->
        when {
            row % 7 == 3 -> appendNull()
            type == DataType.BINARY_VIEW -> append((if (row % 7 == 4) "short" else text(row)).toByteArray())
            else -> append(if (row % 7 == 4) "short" else text(row))
        }
    }

    val item = Field.of("item", DataType.struct(Field.of("t", DataType.UTF8), Field.of("n", DataType.INT64)))

    fun lists(type: DataType) = column(type) { row ->
        if (row % 7 == 3) {
            appendNull()
        } else {
            appendList(row % 4)
            repeat(row % 4) {
                items().appendStruct()
                items().child("t").append(text(row + it))
                items().child("n").append(row.toLong())
            }
        }
    }

    val sources = mapOf(
        "utf8_view" to { views() },
        "binary_view" to { views(DataType.BINARY_VIEW) },
        "list_view" to { lists(DataType.listView(item)) },
        "large_list_view" to { lists(NestedType.LargeListViewType(item)) },
        "dictionary" to { column(DataType.dictionary(DataType.INT32, DataType.UTF8)) { row -> append(text(row)) } },
    )

    fun values(array: RecordBatch) = array.column("a").let { column ->
        (0 until column.length()).map { row -> column[row].let { if (it is ByteArray) it.toList() else it } }
    }

    fun size(array: () -> DeviceArray): Long {
        val before = ResourceCounters.now()
        return array().use { ResourceCounters.now().since(before).bufferBytes() }
    }

    for ((type, source) in sources) {
        val isShared = type == "dictionary"
        if (!isShared) test("a filter that keeps few rows of $type does not keep what the others have [SEL-03]") {
            val whole = source().use(::values)
            for (chosen in listOf(listOf(1L, 700L), listOf(13L, 501L, 502L, 999L))) {
                val some = Selection.where(rows.toLong()) { it in chosen }
                source().use { it.filter(some) }.use {
                    it.validate(Validation.FULL)
                    values(it) shouldBe chosen.map { row -> whole[row.toInt()] }
                }
                size { source().use { it.filter(some) } } shouldBeLessThan 2000
                size { source().use { it.take(*chosen.reversed().toLongArray()) } } shouldBeLessThan 2000
            }
        }

        test("joined slices of few rows of $type do not have what the other rows have [ARR-21]") {
            val whole = source().use(::values)
            val starts = listOf(0L, 999, 500, 501, 17, 17, 3, 6)
            fun joined() = source().use { array ->
                val slices = starts.map { array.slice(it, 1) }
                DeviceArray.concat(slices).also { slices.forEach(RecordBatch::close) }
            }
            joined().use {
                it.validate(Validation.FULL)
                values(it) shouldBe starts.map { row -> whole[row.toInt()] }
            }
            size(::joined) shouldBeLessThan 2500
            fun one() = source().use { array -> array.slice(13, 1).use { DeviceArray.concat(listOf(it)) } }
            one().use { values(it) shouldBe listOf(whole[13]) }
            size(::one) shouldBeLessThan 1000
        }

        test("joined arrays of few rows each of $type keep little, however many they are [ARR-21, SEL-11]") {
            val whole = source().use(::values)
            fun joined(count: Int): RecordBatch {
                val parts = List(count) { i -> source().use { it.take(i * 5L, i * 5L + 2) } }
                return DeviceArray.concat(parts).also { parts.forEach(RecordBatch::close) }
            }
            joined(100).use {
                it.validate(Validation.FULL)
                values(it) shouldBe List(100) { i -> listOf(whole[i * 5], whole[i * 5 + 2]) }.flatten()
            }
            size { joined(100) } shouldBeLessThan 40_000
        }

        test("rows of $type that need most of the memory share it in a filter, and are joined as they are [SEL-03]") {
            val all = source().use(::values)
            source().use { array ->
                val most = Selection.where(rows.toLong()) { it % 10 != 0L }
                array.filter(most).use {
                    (Conversion.of(it)!!.sharedBuffers() > 0) shouldBe true
                    values(it) shouldBe all.filterIndexed { row, _ -> row % 10 != 0 }
                }
                DeviceArray.concat(listOf(array, array)).use { values(it) shouldBe all + all }
            }
        }
    }

    test("few rows of views beside dictionaries keep the dictionaries only, in whole [SEL-03]") {
        val ordered = NestedType.DictionaryType(DataType.INT8, Field.of("", DataType.UTF8), true)
        fun source() = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
            val texts = batch.column(Field.of("a", DataType.UTF8_VIEW))
            val levels = batch.column(Field.of("b", ordered))
            val words = batch.column(Field.of("c", DataType.list(DataType.dictionary(DataType.INT8, DataType.UTF8))))
            repeat(rows) {
                texts.append(text(it))
                levels.append("level ${it % 5}")
                words.appendList(1)
                words.items().append("word ${it % 7}")
            }
            batch.build()
        }
        val some = Selection.where(rows.toLong()) { it == 8L || it == 700L }
        val changes = mapOf<String, (RecordBatch) -> RecordBatch>(
            "filter" to { it.filter(some) },
            "take" to { it.take(8, 700) },
        )
        for ((name, change) in changes) withClue(name) {
            source().use(change).use {
                it.validate(Validation.FULL)
                it.column("a").toList() shouldBe listOf(text(8), text(700))
                it.column("b").toList() shouldBe listOf("level 3", "level 0")
                it.column("b").dictionary().length() shouldBe 5
                it.column("c").toList() shouldBe listOf(listOf("word 1"), listOf("word 0"))
                it.column("c").items().dictionary().length() shouldBe 7
            }
            size { source().use(change) } shouldBeLessThan 2500 // the source has 80 kB
        }
    }

    test("a list-view of few elements in any order, which overlap, gets exactly these elements [ARR-21]") {
        // 100 rows, each a view of two of 2,000 elements
        val starts = IntArray(100) { (it * 761) % 1999 }
        val field = Field.of("", DataType.listView(Field.of("item", DataType.INT64)))
        fun made(): DeviceArray {
            val cpu = Devices.cpu()
            fun ints(values: IntArray) = cpu.allocate(4L * values.size).also { buffer ->
                buffer.segment().copyFrom(MemorySegment.ofArray(values))
            }
            val items = cpu.allocate(8L * 2000).also { buffer ->
                buffer.segment().copyFrom(MemorySegment.ofArray(LongArray(2000) { it.toLong() }))
            }
            return DeviceArray.of(field, ArrayData.of(100, 0, listOf(null, ints(starts), ints(IntArray(100) { 2 })),
                listOf(ArrayData.of(2000, 0, listOf(null, items)))))
        }
        made().use { array ->
            DeviceArray.concat(listOf(array, array)).use {
                it.validate(Validation.FULL)
                val expected = starts.map { start -> listOf(start.toLong(), start + 1L) }
                withClue("rows") { it.asColumn().toList() shouldBe expected + expected }
            }
        }
        size { made().use { array -> DeviceArray.concat(listOf(array, array)) } } shouldBeLessThan 5500
    }
})
