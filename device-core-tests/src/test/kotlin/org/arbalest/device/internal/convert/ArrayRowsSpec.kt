// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import org.arbalest.device.ArrayData
import org.arbalest.device.Conversion
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.columns.Selection
import org.arbalest.device.internal.memory.NativeHeap
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.HandLaid
import org.arbalest.device.support.LaidValues
import org.arbalest.device.support.LaidValues.read
import org.arbalest.device.support.LaidValues.spoil
import org.arbalest.device.support.RawArray
import org.arbalest.device.support.RawValues
import org.arbalest.device.support.SoundArrays
import org.arbalest.device.support.batch
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.withNullRows
import java.lang.foreign.Arena
import java.nio.ByteBuffer
import kotlin.random.Random

/** Rows of arrays of every type, chosen by filters and by indices, and compared with the values of each row. */
class ArrayRowsSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun field(name: String, type: DataType) = Field.of(name, type)
    fun runs(values: DataType) =
        RunEndEncodedType(field("run_ends", DataType.INT32).withNullable(false), field("values", values))
    fun dictionary(values: DataType) = DictionaryType(DataType.INT16, field("", values), false)
    fun list(item: DataType) = ListType(field("item", item))
    fun union(mode: UnionMode, a: DataType, b: DataType, c: DataType) =
        UnionType(mode, listOf(7, 1, 0), listOf(field("a", a), field("b", b), field("c", c)))

    val dense = union(UnionMode.DENSE, runs(DataType.UTF8), dictionary(DataType.UTF8_VIEW), DataType.BOOL)
    val sparse = union(UnionMode.SPARSE, dictionary(DataType.UTF8), list(dense), DataType.INT8)
    val deeper = listOf(DataType.INT32, DataType.BOOL, DataType.UTF8, DataType.UTF8_VIEW, dense, sparse,
        runs(DataType.INT64), dictionary(DataType.LARGE_UTF8), list(DataType.INT16), DataType.NULL).flatMap { type ->
        listOf(dictionary(type), runs(type), list(type), ListViewType(field("item", type)),
            StructType(listOf(field("x", type))), FixedSizeListType(field("item", type), 3))
    }
    val types = (HandLaid.types + deeper).distinct()
    val rows = List(150) { it }

    fun imported(type: DataType, of: List<Int>, skipped: Int): DeviceArray = Arena.ofConfined().use { arena ->
        val out = HandLaid.laid(arena, type, of, skipped)
        spoil(out.address(), type)
        CData.importArray(out, CImport.DATA.schema(field("column", type)))
    }

    fun isSound(array: DeviceArray) = runCatching { array.validate(Validation.FULL) }.isSuccess

    fun check(
        source: DeviceArray,
        expected: List<Any?>,
        wasSound: Boolean = isSound(source),
        make: (DeviceArray) -> DeviceArray,
    ) {
        make(source).use { result ->
            result.field() shouldBe source.field()
            (read(result.asColumn()) == expected) shouldBe true
            result.validate(if (wasSound) Validation.FULL else Validation.STRUCTURAL)
            val half = result.length() / 2
            result.slice(half, result.length() - half).use {
                (read(it.asColumn()) == expected.drop(half.toInt())) shouldBe true
            }
        }
    }

    /** Selections of a number of rows: none, all, one, a range, few, half, many, alternating, and bits at word ends. */
    fun selections(length: Int): List<Selection> {
        val random = Random(length)
        return listOf<(Int) -> Boolean>(
            { false }, { true }, { it == length / 2 }, { it in 3..9 }, { random.nextInt(20) == 0 },
            { random.nextBoolean() }, { random.nextInt(20) > 0 }, { it % 2 == 0 }, { it % 64 in listOf(0, 63) },
            { it !in 70..72 },
        ).map { Selection.where(length.toLong()) { row -> it(row.toInt()) } }
    }

    fun chosen(values: List<Any?>, selection: Selection) =
        values.filterIndexed { i, _ -> selection.isSelected(i.toLong()) }

    for ((kind, ofKind) in types.groupBy { it.javaClass.simpleName.removeSuffix("Type") }) {
        test("a filter of $kind keeps the selected rows, also of slices, with garbage under nulls [SEL-01]") {
            for (type in ofKind) for (skipped in listOf(0, 3)) imported(type, rows, skipped).use { array ->
                for ((from, count) in if (skipped == 0) listOf(0 to 150, 7 to 100) else listOf(1 to 149, 140 to 10)) {
                    array.slice(from.toLong(), count.toLong()).use { cut ->
                        val wasSound = isSound(cut)
                        val values = rows.subList(from, from + count).map { LaidValues.of(type, it) }
                        for (selection in selections(count)) withClue("$type, offset $skipped, $from.., $selection") {
                            check(cut, chosen(values, selection), wasSound) { it.filter(selection) }
                        }
                    }
                }
            }
        }

        test("taking rows of $kind returns them in the order of the indices, also repeatedly [SEL-02]") {
            val random = Random(3)
            for (type in ofKind) imported(type, rows, 3).use { array ->
                array.slice(2, 140).use { cut ->
                    val values = rows.subList(2, 142).map { LaidValues.of(type, it) }
                    for (indices in listOf(listOf(), listOf(5), listOf(139, 0, 0, 7), listOf(4, 5, 6),
                        List(300) { random.nextInt(140) })) withClue("$type, $indices") {
                        val expected = indices.map { values[it] }
                        check(cut, expected) { it.take(*indices.toIntArray()) }
                        check(cut, expected) { it.take(*LongArray(indices.size) { i -> indices[i].toLong() }) }
                    }
                }
            }
        }

        test("a null index takes a null row of $kind [SEL-04]") {
            val indices = listOf(3L, null, 0L, null, 3L, 149L)
            for (type in ofKind) imported(type, rows, 3).use { array ->
                BatchBuilder.of(Devices.cpu(), 6).use { builder ->
                    val column = builder.column(field("at", DataType.INT64))
                    indices.forEach { if (it == null) column.appendNull() else column.append(it) }
                    builder.build()
                }.use { at ->
                    val expected = indices.map { if (it == null) null else LaidValues.of(type, it.toInt()) }
                    withClue(type) { check(array, expected) { it.take(at.column("at")) } }
                }
            }
        }

        test("filters of filtered rows of $kind, and of a column of a batch, keep the values [SEL-01]") {
            val batch = { type: DataType -> StructType(listOf(field("first", DataType.INT8), field("column", type))) }
            val odd = Selection.where(150) { it % 3 != 0L }
            for (type in ofKind) withClue(type) {
                imported(batch(type), rows, 3).use { array ->
                    val values = rows.map { LaidValues.of(batch(type), it) }
                    check(array, chosen(values, odd)) { it.filter(odd) }
                    array.filter(odd).use { once ->
                        val again = Selection.where(once.length()) { it % 5 != 1L }
                        check(once, chosen(chosen(values, odd), again)) { it.filter(again) }
                    }
                    array.retainChild(1).use { child ->
                        check(child, chosen(rows.map { LaidValues.of(type, it + 1) }, odd)) { it.filter(odd) }
                    }
                }
            }
        }
    }

    test("random arrays keep the values of the rows that filters and indices choose, and stay valid [SEL-01, SEL-02]") {
        var made = 0
        for (seed in 0 until 100) withClue(seed) {
            val random = Random(seed)
            val raw = SoundArrays(random).array(most = if (seed % 8 == 0) 150 else 12)
            Arena.ofConfined().use { arena ->
                CData.importArray(raw.laid(arena), CImport.DATA.schema(raw.field)).use { array ->
                    val values = RawValues.of(raw)
                    val some = Selection.where(array.length()) { random.nextInt(3) > 0 }
                    check(array, chosen(read(array.asColumn()), some)) { it.filter(some) }
                    val at = if (values.isEmpty()) intArrayOf() else
                        IntArray(random.nextInt(20)) { random.nextInt(values.size) }
                    val all = read(array.asColumn())
                    check(array, at.map { all[it] }) { it.take(*at) }
                    made++
                }
            }
        }
        made shouldBeGreaterThan 99
    }

    test("a filtered batch with a column of every type outlives its source [SEL-01]") {
        val some = Selection.where(60) { it % 7 != 2L && it != 30L }
        val result = EveryType.batch(0, 60).use { it.filter(some) }
        val expected = EveryType.batch(0, 60).use { chosen(EveryType.rows(it), some) }
        result.use {
            it.validate(Validation.FULL)
            EveryType.rows(it) shouldBe expected
        }
    }

    test("all rows are the array itself, and rows that follow each other are a slice, without a copy [SEL-03]") {
        batch(100).use { batch ->
            val before = ResourceCounters.now()
            for (selection in listOf(Selection.where(100) { true }, Selection.where(100) { it in 20..80 },
                Selection.where(100) { false })) batch.filter(selection).use {
                it.length() shouldBe selection.count()
                Conversion.of(it) shouldBe null
                ResourceCounters.now().since(before).buffers() shouldBe 0
            }
            batch.take(7, 8, 9).use { Conversion.of(it) shouldBe null }
        }
    }

    test("a filter shares dictionaries and the data of views, and copies the rest in one allocation [SEL-03]") {
        EveryType.batch(0, 60).use { batch ->
            val before = ResourceCounters.now()
            batch.filter(Selection.where(60) { it % 2 == 0L }).use {
                ResourceCounters.now().since(before).buffers() shouldBe 1
            }
        }
    }

    test("a result that shares no buffer does not keep the array that it was made from [SEL-03]") {
        val before = ResourceCounters.now()
        val result = batch(100).use { it.filter(Selection.where(100) { row -> row % 2 == 0L }) }
        ResourceCounters.now().since(before).arrays() shouldBe 1
        ResourceCounters.now().since(before).buffers() shouldBe 1
        result.use { it.column("id").toList() shouldBe List(50) { row -> 2L * row } }
    }

    test("a selection of another length is rejected with both numbers [SEL-05]") {
        batch(3).use { batch ->
            shouldThrow<IllegalArgumentException> { batch.filter(Selection.where(4) { true }) }.message shouldBe
                "cannot filter an array of 3 rows by a selection of 4 rows: make the selection from this array"
        }
    }

    test("an index outside the array is rejected with its position and the number of rows [SEL-05]") {
        batch(3).use { batch ->
            shouldThrow<IndexOutOfBoundsException> { batch.take(0, 2, 3) }.message shouldBe
                "index 2 is row 3, but the array has 3 rows"
            shouldThrow<IndexOutOfBoundsException> { batch.take(-1L) }.message shouldBe
                "index 0 is row -1, but the array has 3 rows"
            shouldThrow<IndexOutOfBoundsException> {
                batch(5).use { batch.take(it.column("id")) }
            }.message shouldBe "index 3 is row 3, but the array has 3 rows"
        }
    }

    test("a null index is rejected if a column of the batch cannot have nulls [SEL-04]") {
        val column = field("v", DataType.INT64).withNullable(false)
        val strict = Field.of("", StructType(listOf(column))).withNullable(false)
        BatchBuilder.of(Devices.cpu(), 2).use { builder ->
            builder.column(field("v", DataType.INT64)).append(1).append(2)
            builder.build()
        }.use { it.convertTo(strict) }.use { batch ->
            val at = BatchBuilder.of(Devices.cpu(), 2).use { builder ->
                builder.column(field("at", DataType.INT32)).append(1).appendNull()
                builder.build()
            }
            at.use {
                shouldThrow<IllegalArgumentException> { batch.take(it.column("at")) }.message shouldBe
                    "cannot take a null row: index 1 is null, but v: int64 not null is not nullable; omit null " +
                    "indices, or call convertTo with a field that is nullable first"
            }
        }
    }

    test("a null index makes a null row beside fields of type null that are not nullable [SEL-04]") {
        val nulls = RawArray(field("n", DataType.NULL).withNullable(false), 2, 2, 0, mutableListOf())
        val parent = field("x", StructType(listOf(nulls.field)))
        val struct = RawArray(parent, 2, 0, 0, mutableListOf(null), listOf(nulls))
        val positions = mutableListOf<ByteBuffer?>(RawArray.bytes(0, 0), RawArray.ints(0, 1))
        val union = RawArray(field("u", UnionType(UnionMode.DENSE, listOf(0), listOf(parent))), 2, 0, 0, positions,
            listOf(struct))
        for (raw in listOf(struct, union)) Arena.ofConfined().use { arena ->
            CData.importArray(raw.laid(arena), CImport.DATA.schema(raw.field)).use { array ->
                BatchBuilder.of(Devices.cpu(), 2).use { builder ->
                    builder.column(field("at", DataType.INT32)).append(1).appendNull()
                    builder.build()
                }.use { at -> check(array, listOf(mapOf("n" to null), null)) { it.take(at.column("at")) } }
            }
        }
    }

    test("null rows of the batch itself are kept, and a null index is a null of each column [SEL-01, SEL-04]") {
        val values = List(100) { if (it == 1 || it == 70) null else mapOf("id" to it.toLong()) }
        val some = Selection.where(100) { it % 3 == 1L || it == 99L }
        fun same(expected: List<Any?>, make: () -> DeviceArray) = make().use { EveryType.rows(it) shouldBe expected }
        for (isNullable in listOf(true, false)) for (isCounted in listOf(true, false)) {
            batch(100).withNullRows(1, 70, isCounted = isCounted).use {
                DeviceArray.of(it.field().withNullable(isNullable), ArrayData.of(it))
            }.use { batch ->
                same(chosen(values, some)) { batch.filter(some) }
                same(chosen(values, some.not())) { batch.filter(some.not()) }
                same(listOf(values[70], values[2], values[1])) { batch.take(70, 2, 1) }
                BatchBuilder.of(Devices.cpu(), 3).use { builder ->
                    builder.column(field("at", DataType.INT32)).append(70).appendNull().append(2)
                    builder.build()
                }.use { at ->
                    val ofNull = if (isNullable) null else mapOf("id" to null)
                    same(listOf(null, ofNull, values[2])) { batch.take(at.column("at")) }
                }
            }
        }
    }

    test("offsets of a peer that lead beyond the data are rejected with path and row, without a leak [SEL-06]") {
        val text = field("t", DataType.UTF8)
        BatchBuilder.of(Devices.cpu(), 3).use { builder ->
            val column = builder.column(text)
            listOf("a", "bc", "def").forEach { column.append(it) }
            builder.build()
        }.use { batch ->
            val offsets = batch.column("t").bufferAddress(1)
            NativeHeap.putInt(offsets + 4, 77)
            shouldThrow<DeviceException> { batch.filter(Selection.where(3) { it != 1L }) }.message shouldBe
                "$.t: row 0: offsets[1] = 77 is beyond the 6 bytes of data"
            shouldThrow<DeviceException> { batch.take(2, 0) }.message shouldBe
                "$.t: row 1: offsets[1] = 77 is beyond the 6 bytes of data"
        }
    }
})
