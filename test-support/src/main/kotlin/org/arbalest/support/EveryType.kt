// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.FlatType.BinaryType
import org.arbalest.device.types.FlatType.DurationType
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.FlatType.LargeBinaryType
import org.arbalest.device.types.FlatType.LargeUtf8Type
import org.arbalest.device.types.FlatType.NullType
import org.arbalest.device.types.FlatType.TimeType
import org.arbalest.device.types.FlatType.TimestampType
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.LargeListType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import java.lang.foreign.Arena

/** Batches with a column of every type, and the values in them. */
object EveryType {
    private val pair = StructType(listOf(Field.of("x", DataType.INT64), Field.of("word", DataType.UTF8)))
    private val item = Field.of("item", pair)
    private val parts =
        listOf(Field.of("n", DataType.INT16), Field.of("words", DataType.UTF8_VIEW), Field.of("pair", pair))

    /** The types of the columns, by name. Row `i` is null where `i % 4` is 3. */
    private val types: Map<String, DataType> = mapOf(
        "nothing" to DataType.NULL,
        "bool" to DataType.BOOL,
        "int8" to DataType.INT8, "int16" to DataType.INT16, "int32" to DataType.INT32, "int64" to DataType.INT64,
        "uint8" to DataType.UINT8, "uint16" to DataType.UINT16, "uint32" to DataType.UINT32,
        "uint64" to DataType.UINT64, "float16" to DataType.FLOAT16, "float32" to DataType.FLOAT32,
        "float64" to DataType.FLOAT64,
        "utf8" to DataType.UTF8, "large_utf8" to DataType.LARGE_UTF8,
        "binary" to DataType.BINARY, "large_binary" to DataType.LARGE_BINARY, "fixed_binary" to FixedSizeBinaryType(3),
        "date32" to DataType.DATE32, "date64" to DataType.DATE64,
        "time32" to TimeType(ArrowTimeUnit.SECOND), "time64" to TimeType(ArrowTimeUnit.NANOSECOND),
        "timestamp" to TimestampType(ArrowTimeUnit.MICROSECOND, "UTC"),
        "duration" to DurationType(ArrowTimeUnit.MILLISECOND),
        "decimal32" to DataType.decimal32(9, 2), "decimal64" to DataType.decimal64(18, 2),
        "decimal128" to DataType.decimal128(38, 2), "decimal256" to DataType.decimal256(76, 2),
        "struct" to pair,
        "list" to ListType(item), "large_list" to LargeListType(item),
        "list_of_lists" to ListType(Field.of("item", ListType(Field.of("item", DataType.BOOL)))),
        "dictionary" to DataType.dictionary(DataType.INT16, DataType.UTF8),
        "dictionary_of_numbers" to DataType.dictionary(DataType.UINT8, DataType.INT64),
        "dictionary_of_structs" to DataType.dictionary(DataType.INT8, pair),
        "utf8_view" to DataType.UTF8_VIEW, "binary_view" to DataType.BINARY_VIEW,
        "months" to DataType.INTERVAL_YEAR_MONTH, "days" to DataType.INTERVAL_DAY_TIME,
        "nanos" to DataType.INTERVAL_MONTH_DAY_NANO,
        "list_view" to DataType.listView(item), "large_list_view" to DataType.largeListView(item),
        "fixed_list" to DataType.fixedSizeList(item, 2),
        "fixed_list_of_lists" to DataType.fixedSizeList(Field.of("item", DataType.listView(item)), 2),
        "map" to DataType.map(Field.of("key", DataType.UTF8), Field.of("value", pair)),
        "sparse_union" to DataType.sparseUnion(*parts.toTypedArray()),
        "dense_union" to UnionType(UnionMode.DENSE, listOf(5, 0, 127), parts),
        "list_of_unions" to ListType(Field.of("item", DataType.denseUnion(*parts.toTypedArray()))),
        "runs" to DataType.runEndEncoded(DataType.INT32, Field.of("values", DataType.UTF8)),
        "short_runs" to DataType.runEndEncoded(DataType.INT16, Field.of("values", pair)),
    )

    val fields: List<Field> = types.map { (name, type) -> Field.of(name, type) } +
        Field.of("uuid", FixedSizeBinaryType(16)).withExtension("arrow.uuid", "")

    /** Returns a batch with the rows from [from] on. A row number has the same value in every batch. */
    fun batch(from: Int, rows: Int): RecordBatch = BatchBuilder.of(Devices.cpu(), rows).use { batch ->
        for (field in fields) {
            val column = batch.column(field)
            for (row in from until from + rows) append(column, field.type(), row)
        }
        batch.build()
    }

    fun append(column: ColumnBuilder, type: DataType, row: Int) {
        // the fields of a null struct get values, too
        if (type is StructType) type.fields().forEachIndexed { i, field ->
            append(column.child(i), field.type(), row + 1 + i)
        }
        if (row % 4 == 3 || type is NullType) {
            column.appendNull()
            return
        }
        when (type) {
            is FlatType.BoolType -> column.append(row % 3 == 0)
            is FlatType.FloatType -> column.append(row / 2.0)
            is FlatType.Utf8Type, is LargeUtf8Type, is FlatType.Utf8ViewType ->
                column.append("row ".repeat(row % 3) + row)
            is BinaryType, is LargeBinaryType -> column.append(ByteArray(row % 5) { row.toByte() })
            is FlatType.BinaryViewType -> column.append(ByteArray(row % 20) { row.toByte() })
            is FixedSizeBinaryType -> column.append(byteArrayOf(row.toByte(), 0, 1).copyOf(type.width()))
            DataType.DATE64 -> column.append(86_400_000L * row)
            is FlatType.IntervalType -> interval(column, type, row)
            is StructType -> column.appendStruct()
            is DictionaryType -> dictionary(column, type, row)
            is ListType -> list(column, type.item(), row)
            is LargeListType -> list(column, type.item(), row)
            is NestedType.ListViewType -> list(column, type.item(), row)
            is NestedType.LargeListViewType -> list(column, type.item(), row)
            is NestedType.FixedSizeListType -> {
                column.appendList(type.size())
                repeat(type.size()) { append(column.items(), type.item().type(), 3 * row + it) }
            }
            is NestedType.MapType -> map(column, type, row)
            is UnionType -> {
                column.appendUnion(row % type.fields().size)
                append(column.child(row % type.fields().size), type.fields()[row % type.fields().size].type(), row + 1)
            }
            is NestedType.RunEndEncodedType -> runs(column, type.values().type(), row)
            else -> column.append(row.toLong())
        }
    }

    private fun interval(column: ColumnBuilder, type: FlatType.IntervalType, row: Int) {
        when (type.unit()) {
            FlatType.IntervalUnit.YEAR_MONTH -> column.append(row.toLong())
            FlatType.IntervalUnit.DAY_TIME -> column.append(Interval(0, -row, 7_000_000L * row))
            FlatType.IntervalUnit.MONTH_DAY_NANO -> column.append(Interval(row, -row, -(1L shl 40) * row))
        }
    }

    private fun dictionary(column: ColumnBuilder, type: DictionaryType, row: Int) {
        when (val of = type.values().type()) {
            is FlatType.Utf8Type -> column.append("word ${row % 5}")
            is StructType -> {
                of.fields().forEachIndexed { i, field ->
                    append(column.dictionary().child(i), field.type(), row % 5 + i)
                }
                column.appendStruct()
            }
            else -> column.append(row % 5L)
        }
    }

    private fun list(column: ColumnBuilder, item: Field, row: Int) {
        column.appendList(row % 3)
        repeat(row % 3) { append(column.items(), item.type(), 3 * row + it) }
    }

    private fun map(column: ColumnBuilder, type: NestedType.MapType, row: Int) {
        column.appendMap(row % 3)
        repeat(row % 3) {
            column.keys().append("key $it")
            append(column.values(), type.entries().type().children()[1].type(), 3 * row + it)
        }
    }

    /** Appends runs: each value repeats for two rows. */
    private fun runs(column: ColumnBuilder, type: DataType, row: Int) {
        if (type is StructType) {
            type.fields().forEachIndexed { i, field -> append(column.values().child(i), field.type(), row / 2 + i) }
            column.appendStruct()
        } else {
            column.append("run ${row / 2}")
        }
    }

    /** Returns the rows as objects that compare by content. */
    fun rows(array: DeviceArray): List<Any?> = array.asColumn().let { column ->
        (0 until column.length()).map { plain(column.get(it)) }
    }

    /** Returns a value as an object that compares by content. */
    fun plain(value: Any?): Any? = when (value) {
        is ByteArray -> value.toList()
        is List<*> -> value.map(::plain)
        is Map<*, *> -> value.mapValues { plain(it.value) }
        is Map.Entry<*, *> -> plain(value.key) to plain(value.value)
        else -> value
    }

    /**
     * Exports the array, returns the checksum that the peer computes, and releases the export. The array is consumed.
     */
    fun checksum(array: DeviceArray): Long = Arena.ofConfined().use { arena ->
        val (out, schema) = arena.allocate(StructKind.ARRAY.size, 8) to arena.allocate(StructKind.SCHEMA.size, 8)
        array.use { CData.exportArray(it, out, CExport.DATA.schemaTo(schema)) }
        PeerNodes.checksum(out, schema).also {
            PeerMoves.release(out, StructKind.ARRAY)
            PeerMoves.release(schema, StructKind.SCHEMA)
        }
    }
}
