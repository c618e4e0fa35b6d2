// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.builders

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.HandLaid
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerMoves
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/** Arrays of every type, built value by value. C reads the same in them as in arrays that are laid out by hand. */
class ColumnBuilderEveryTypeSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun isNull(row: Int) = row % 4 == 3

    fun items(row: Int): List<Int> = List(row % 3) { 3 * row + it }

    /** Appends the value that [HandLaid] has in this row. */
    fun append(column: ColumnBuilder, field: Field, row: Int) {
        val type = field.type()
        if (type is StructType) type.fields().forEachIndexed { i, part -> append(column.child(i), part, row + i) }
        if (type is UnionType) {
            column.appendUnion(row % 3)
            append(column.child(row % 3), type.fields()[row % 3], row)
            return
        }
        if (type is RunEndEncodedType) {
            val of = type.values().type()
            if (isNull(row / 2)) column.appendNull() else if (of is StructType) {
                of.fields().forEachIndexed { i, part -> append(column.values().child(i), part, row / 2 + i) }
                column.appendStruct()
            } else {
                append(column, Field.of("", of), row / 2)
            }
            return
        }
        if (type is FlatType.NullType || field.isNullable && isNull(row)) {
            column.appendNull()
            return
        }
        when (type) {
            is FlatType.BoolType -> column.append(row % 3 == 0)
            is DictionaryType -> {
                val (value, of) = 3 * (row % 7) to type.values().type()
                if (isNull(value)) column.appendNull() else if (of is StructType) {
                    of.fields().forEachIndexed { i, part -> append(column.dictionary().child(i), part, value + i) }
                    column.appendStruct()
                } else {
                    append(column, Field.of("", of), value)
                }
            }
            is FlatType.Utf8Type, is FlatType.LargeUtf8Type, is FlatType.Utf8ViewType ->
                column.append("w$row ".repeat(row % 5))
            is FlatType.BinaryType, is FlatType.LargeBinaryType, is FlatType.BinaryViewType ->
                column.append("w$row ".repeat(row % 5).encodeToByteArray())
            is StructType -> column.appendStruct()
            is MapType -> {
                val (key, value) = type.entries().type().children()
                column.appendMap(items(row).size)
                for (item in items(row)) append(column.keys(), key, item).also {
                    append(column.values(), value, item + 1)
                }
            }
            is FixedSizeListType -> {
                column.appendList(type.size())
                repeat(type.size()) { append(column.items(), type.item(), 2 * row + it) }
            }
            is NestedType.ListType, is NestedType.LargeListType, is NestedType.ListViewType,
            is NestedType.LargeListViewType -> {
                column.appendList(items(row).size)
                for (item in items(row)) append(column.items(), type.children().single(), item)
            }
            is FlatType.FixedSizeBinaryType -> column.append(HandLaid.number(row.toLong(), type.width()))
            is FlatType.IntervalType -> if (type.unit() == FlatType.IntervalUnit.YEAR_MONTH)
                column.append(row.toLong()) else
                column.appendAll(MemorySegment.ofArray(if (type.unit() == FlatType.IntervalUnit.DAY_TIME)
                    longArrayOf(row.toLong()) else longArrayOf(row.toLong(), 0)))
            is FlatType.DecimalType ->
                column.appendAll(MemorySegment.ofArray(HandLaid.number(row.toLong(), type.bits() / 8)))
            is FlatType.FloatType ->
                column.appendAll(MemorySegment.ofArray(HandLaid.number(row.toLong(), type.bits() / 8)))
            DataType.DATE64 -> column.append(86_400_000L * row)
            else -> column.append(row.toLong())
        }
    }

    fun built(field: Field, rows: List<Int>): RecordBatch = BatchBuilder.of(Devices.cpu(), rows.size).use { batch ->
        val column = batch.column(field)
        for (row in rows) append(column, field, row)
        batch.build()
    }

    fun built(type: DataType, rows: List<Int>): DeviceArray = built(Field.of("", type), rows).use { it.retainChild(0) }

    val rows = List(70) { it }

    test("C reads built arrays of every type like those laid out by hand, whole and sliced [BLD-01]") {
        for (type in HandLaid.types) withClue(type) {
            built(type, rows).use { array ->
                HandLaid.exported(array.retain()) shouldBe HandLaid.expected(type, rows)
                for ((from, count) in listOf(1 to 12, 3 to 7, 8 to 5, 64 to 6, 5 to 3, 70 to 0)) {
                    HandLaid.exported(array.slice(from.toLong(), count.toLong())) shouldBe
                        HandLaid.expected(type, rows.subList(from, from + count))
                }
            }
        }
    }

    test("C reads built arrays without rows or with nulls only like those laid out by hand [BLD-01]") {
        for (type in HandLaid.types) withClue(type) {
            HandLaid.exported(built(type, listOf())) shouldBe HandLaid.expected(type, listOf())
            if (type is StructType || type is UnionType) return@withClue
            val nulls = BatchBuilder.of(Devices.cpu(), 9).use { batch ->
                batch.column(Field.of("a", type)).also { column -> repeat(9) { column.appendNull() } }
                batch.build().use { it.retainChild(0) }
            }
            HandLaid.exported(nulls) shouldBe
                HandLaid.expected(type, if (type is RunEndEncodedType) List(9) { 6 } else List(9) { 3 })
        }
    }

    test("a built array has no NULL pointer except a bitmap without nulls, also without rows [ARR-08, BLD-01]") {
        fun check(array: Long, type: DataType) {
            val hasValidity = type !is UnionType
            for (i in 0 until RawArrowArray.nBuffers(array))
                if (i > 0 || !hasValidity) (RawArrowArray.buffer(array, i) != 0L) shouldBe true
            type.children().forEachIndexed { i, field -> check(RawArrowArray.child(array, i.toLong()), field.type()) }
            if (type is DictionaryType) check(RawArrowArray.dictionary(array), type.values().type())
        }
        for (type in HandLaid.types) for (count in listOf(0, 5)) withClue("$type, $count rows") {
            Arena.ofConfined().use { arena ->
                val out = arena.struct(StructKind.ARRAY)
                built(type, rows.take(count)).use { CData.exportArray(it, out, CExport.DATA) }
                check(out.address(), type)
                PeerMoves.release(out, StructKind.ARRAY)
            }
        }
    }

    test("a built batch of every type keeps its values when it is copied, joined and exported [BLD-01]") {
        val batch = StructType(HandLaid.types.mapIndexed { i, type -> Field.of("$i ${type.format()}", type) })
        val whole = built(Field.of("all", batch), rows).use { it.retainChild(0) }
        val right = HandLaid.expected(batch, rows)
        val copy = whole.use { it.copyTo(Devices.cpu()) }
        val parts = listOf(copy.slice(0, 31), copy.slice(31, 39))
        HandLaid.exported(DeviceArray.concat(parts)) shouldBe right
        parts.forEach(DeviceArray::close)
        HandLaid.exported(copy) shouldBe right
    }
})
