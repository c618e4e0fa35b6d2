// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.support.HandLaid
import org.arbalest.device.support.LaidValues
import org.arbalest.device.support.LaidValues.read
import org.arbalest.device.support.LaidValues.readTyped
import org.arbalest.device.support.LaidValues.spoil
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena

/** Imported arrays of every type, laid out byte by byte as the specification defines them, and read in every way. */
class ColumnEveryTypeSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun field(name: String, type: DataType) = Field.of(name, type)
    fun runs(values: DataType) =
        RunEndEncodedType(field("run_ends", DataType.INT32).withNullable(false), field("values", values))
    fun dictionary(values: DataType) = DictionaryType(DataType.INT16, field("", values), false)
    fun list(item: DataType) = ListType(field("item", item))
    fun map(value: DataType) = DataType.map(field("key", DataType.UTF8_VIEW), field("value", value))
    fun union(mode: UnionMode, a: DataType, b: DataType, c: DataType) =
        UnionType(mode, listOf(7, 1, 0), listOf(field("a", a), field("b", b), field("c", c)))

    val union = union(UnionMode.SPARSE, DataType.INT64, list(DataType.UTF8), map(DataType.INT8))
    val dense = union(UnionMode.DENSE, runs(DataType.UTF8), dictionary(DataType.UTF8_VIEW), union)

    /** Nested types, mostly with encodings. */
    val deeper = listOf(
        DataType.UTF8_VIEW, DataType.INTERVAL_MONTH_DAY_NANO, list(DataType.INT32),
        ListViewType(field("item", DataType.UTF8)), FixedSizeListType(field("item", DataType.BINARY_VIEW), 2),
        map(DataType.INT32), union, dense, runs(DataType.INT64), dictionary(DataType.LARGE_UTF8),
        StructType(
            listOf(field("r", runs(DataType.DATE32)), field("d", dictionary(DataType.INT64)), field("u", dense)),
        ),
    ).flatMap { type ->
        listOf(
            dictionary(type),
            runs(type),
            list(type),
            ListViewType(field("item", type)),
            map(type),
            StructType(listOf(field("x", type))),
        )
    } +
        list(list(list(DataType.UTF8_VIEW))) +
        ListViewType(field("item", ListViewType(field("item", ListViewType(field("item", DataType.INT8)))))) +
        dictionary(dictionary(dictionary(DataType.UTF8))) + runs(runs(runs(DataType.UTF8))) +
        dictionary(runs(dense)) + dense +
        union(UnionMode.SPARSE, dense, union, runs(union)) + map(map(map(DataType.BOOL))) + DataType.FLOAT16 +
        DataType.decimal256(40, -3)

    /** Returns the family of [type], named as Arrow names the families of its golden files. */
    fun family(type: DataType): String = when (type) {
        is FlatType.NullType -> "null"
        is FlatType.DecimalType -> "decimal"
        is FlatType.DateType, is FlatType.TimeType, is FlatType.TimestampType -> "datetime"
        is FlatType.DurationType -> "duration"
        is FlatType.IntervalType -> "interval"
        is FlatType.Utf8Type, is FlatType.BinaryType, is FlatType.FixedSizeBinaryType -> "binary"
        is FlatType.LargeUtf8Type, is FlatType.LargeBinaryType -> "large_binary"
        is FlatType.Utf8ViewType, is FlatType.BinaryViewType -> "binary_view"
        is FlatType -> "primitive"
        is NestedType.ListViewType, is NestedType.LargeListViewType -> "list_view"
        is DictionaryType -> if (type.values().type() !is FlatType) "nested_dictionary"
        else if (type.index().signed()) "dictionary" else "dictionary_unsigned"
        is UnionType -> "union"
        is RunEndEncodedType -> "run_end_encoded"
        is MapType -> "map"
        is NestedType.LargeListType -> "nested_large_offsets"
        else -> if (type.children().any { it.type().children().isNotEmpty() }) "recursive_nested" else "nested"
    }

    val families = (HandLaid.types + deeper).distinct().groupBy(::family)

    fun imported(
        type: DataType,
        rows: List<Int>,
        skipped: Int,
        isBatch: Boolean = false,
    ): DeviceArray = Arena.ofConfined().use { arena ->
        val out = if (type is StructType && isBatch) HandLaid.laidBatch(arena, type, rows, skipped)
        else HandLaid.laid(arena, type, rows, skipped)
        spoil(out.address(), type)
        CData.importArray(out, CImport.DATA.schema(field("column", type)))
    }

    /** Reads a column in every way, and compares the values with those that were laid out. */
    fun reads(column: Column, rows: List<Int>, value: (Int) -> Any? = { LaidValues.of(column.field().type(), it) }) {
        val right = rows.map(value)
        read(column) shouldBe right
        (0 until column.length()).map(column::isNull) shouldBe right.map { it == null }
        column.nullCount() shouldBe right.count { it == null }.toLong()
        right.forEachIndexed { row, it -> if (it != null) readTyped(column, row.toLong()) shouldBe it }
        right.indices.reversed().forEach { row -> LaidValues.plain(column.get(row.toLong())) shouldBe right[row] }
    }

    val rows = List(13) { it }
    val cuts = listOf(0 to 13, 1 to 12, 3 to 7, 8 to 5, 12 to 1, 5 to 0, 13 to 0)

    test("extension: an unknown extension type reads as its storage, and a known one by storage() [EXT-10, READ-01]") {
        val type = FlatType.FixedSizeBinaryType(16)
        val unheard = field("id", type).withExtension("org.example.unheard", "")
        unheard.valueClass() shouldBe ByteArray::class.java
        Arena.ofConfined().use { arena ->
            CData.importArray(HandLaid.laid(arena, type, rows, 2), CImport.DATA.schema(unheard))
                .use { reads(it.asColumn(), rows) }
            CData.importArray(
                HandLaid.laid(arena, type, rows, 2),
                CImport.DATA.schema(field("id", type).withExtension("arrow.uuid", "")),
            ).use { uuids ->
                reads(uuids.asColumn().storage(), rows)
                uuids.slice(3, 7).use { reads(it.asColumn().storage(), rows.subList(3, 10)) }
            }
        }
    }

    for ((family, types) in families) {
        test(
            "$family: ${types.size} types read as they were written, whole and sliced, with any bytes beneath nulls " +
                "[READ-01]",
        ) {
            for (type in types) for (skipped in listOf(0, 1, 3, 8)) withClue("$type, offset $skipped") {
                imported(type, rows, skipped).use { array ->
                    for ((from, count) in cuts) array.slice(from.toLong(), count.toLong()).use {
                        reads(it.asColumn(), rows.subList(from, from + count))
                    }
                }
            }
        }

        test("$family: an array that is sliced at several levels reads as it was written [READ-01]") {
            for (type in types) withClue(type) {
                val batch = StructType(listOf(field("first", DataType.INT8), field("column", type)))
                imported(batch, rows, 3, isBatch = true).asRecordBatch().use { array ->
                    array.slice(2, 10).use { cut ->
                        reads(cut.column("column"), rows.subList(2, 12)) { LaidValues.of(type, it + 1) }
                        cut.retainChild(1).use { child ->
                            child.slice(1, 7).use {
                                reads(it.asColumn(), rows.subList(3, 10)) { row -> LaidValues.of(type, row + 1) }
                            }
                        }
                        cut.slice(4, 3).use { again ->
                            reads(again.column(1), rows.subList(6, 9)) { LaidValues.of(type, it + 1) }
                        }
                    }
                }
                imported(FixedSizeListType(field("item", type), 2), rows, 1).use { array ->
                    array.slice(1, 9).use { cut ->
                        reads(cut.asColumn().getList(4), listOf(10, 11)) { LaidValues.of(type, it) }
                    }
                }
            }
        }

        test("$family: empty arrays and arrays of nulls read as they were written [READ-01]") {
            for (type in types) withClue(type) {
                for (skipped in listOf(0, 5)) imported(type, emptyList(), skipped).use {
                    reads(it.asColumn(), emptyList())
                }
                val nulls = (0..400).filter { LaidValues.of(type, it) == null }.take(9)
                if (nulls.size == 9) imported(type, nulls, 2).use { array ->
                    array.asColumn().let { reads(it, nulls); it.nullCount() shouldBe 9 }
                }
            }
        }

        test("$family: copies, and arrays that are exported and imported again, read the same [READ-01]") {
            for (type in types) withClue(type) {
                imported(type, rows, 3).use { array ->
                    array.slice(2, 9).use { cut -> cut.copyTo(Devices.cpu()) }.use {
                        reads(it.asColumn(), rows.subList(2, 11))
                    }
                    Arena.ofConfined().use { arena ->
                        val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
                        array.slice(2, 9).use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
                        CData.importArray(out, CImport.DATA.schema(schema)).use {
                            reads(it.asColumn(), rows.subList(2, 11))
                        }
                    }
                }
            }
        }

        test("$family: get() returns objects of the one class that the field names [READ-01]") {
            for (type in types) withClue(type) {
                val field = field("column", type)
                imported(type, rows, 1).use { array ->
                    val column = array.asColumn()
                    for (row in rows.indices) column.get(row.toLong())?.let {
                        field.valueClass().isInstance(it) shouldBe true
                    }
                }
                val encoded = type is DictionaryType || type is RunEndEncodedType
                (field.valueType() === type) shouldBe !encoded
            }
        }
    }
})
