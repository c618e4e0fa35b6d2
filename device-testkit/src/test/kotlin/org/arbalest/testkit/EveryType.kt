package org.arbalest.testkit

import org.arbalest.device.ColumnBuilder
import org.arbalest.device.DataType
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.Field
import org.arbalest.device.FlatType
import org.arbalest.device.FlatType.BinaryType
import org.arbalest.device.FlatType.DurationType
import org.arbalest.device.FlatType.FixedSizeBinaryType
import org.arbalest.device.FlatType.LargeBinaryType
import org.arbalest.device.FlatType.LargeUtf8Type
import org.arbalest.device.FlatType.NullType
import org.arbalest.device.FlatType.TimeType
import org.arbalest.device.FlatType.TimestampType
import org.arbalest.device.NestedType.DictionaryType
import org.arbalest.device.NestedType.LargeListType
import org.arbalest.device.NestedType.ListType
import org.arbalest.device.NestedType.StructType
import org.arbalest.device.TimeUnit
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/** Batches with a column of every type that can be built, and what is in them. */
internal object EveryType {
    private val item = Field.of("item", StructType(listOf(Field.of("x", DataType.INT64), Field.of("word", DataType.UTF8))))

    /** The columns by name. Row `i` is null where `i % 4` is 3. */
    private val types: Map<String, DataType> = mapOf(
        "nothing" to DataType.NULL,
        "bool" to DataType.BOOL,
        "int8" to DataType.INT8, "int16" to DataType.INT16, "int32" to DataType.INT32, "int64" to DataType.INT64,
        "uint8" to DataType.UINT8, "uint16" to DataType.UINT16, "uint32" to DataType.UINT32, "uint64" to DataType.UINT64,
        "float16" to DataType.FLOAT16, "float32" to DataType.FLOAT32, "float64" to DataType.FLOAT64,
        "utf8" to DataType.UTF8, "large_utf8" to DataType.LARGE_UTF8,
        "binary" to DataType.BINARY, "large_binary" to DataType.LARGE_BINARY, "fixed_binary" to FixedSizeBinaryType(3),
        "date32" to DataType.DATE32, "date64" to DataType.DATE64,
        "time32" to TimeType(TimeUnit.SECOND), "time64" to TimeType(TimeUnit.NANOSECOND),
        "timestamp" to TimestampType(TimeUnit.MICROSECOND, "UTC"), "duration" to DurationType(TimeUnit.MILLISECOND),
        "decimal32" to DataType.decimal32(9, 2), "decimal64" to DataType.decimal64(18, 2),
        "decimal128" to DataType.decimal128(38, 2), "decimal256" to DataType.decimal256(76, 2),
        "struct" to StructType(listOf(Field.of("x", DataType.INT64), Field.of("word", DataType.UTF8))),
        "list" to ListType(item), "large_list" to LargeListType(item),
        "list_of_lists" to ListType(Field.of("item", ListType(Field.of("item", DataType.BOOL)))),
        "dictionary" to DataType.dictionary(DataType.INT16, DataType.UTF8),
    )

    val fields: List<Field> = types.map { (name, type) -> Field.of(name, type) }

    /** The rows from [from] on. The same row is the same value in every batch. */
    fun batch(from: Int, rows: Int): DeviceArray = Devices.cpu().batchBuilder(rows).use { batch ->
        for (field in fields) {
            val column = batch.column(field)
            for (row in from until from + rows) append(column, field.type(), row)
        }
        batch.build()
    }

    private fun append(column: ColumnBuilder, type: DataType, row: Int) {
        if (type is StructType) {
            append(column.child("x"), DataType.INT64, row + 1)
            append(column.child("word"), DataType.UTF8, row + 2)
        }
        if (row % 4 == 3 || type is NullType) {
            column.appendNull()
            return
        }
        when (type) {
            is FlatType.BoolType -> column.append(row % 3 == 0)
            is FlatType.FloatType -> column.append(row / 2.0)
            is FlatType.Utf8Type, is LargeUtf8Type -> column.append("row ".repeat(row % 3) + row)
            is DictionaryType -> column.append("word ${row % 5}")
            is BinaryType, is LargeBinaryType -> column.append(ByteArray(row % 5) { row.toByte() })
            is FixedSizeBinaryType -> column.append(byteArrayOf(row.toByte(), 0, 1))
            DataType.DATE64 -> column.append(86_400_000L * row)
            is StructType -> column.appendStruct()
            is ListType -> list(column, type.item(), row)
            is LargeListType -> list(column, type.item(), row)
            else -> column.append(row.toLong())
        }
    }

    private fun list(column: ColumnBuilder, item: Field, row: Int) {
        column.appendList(row % 3)
        repeat(row % 3) { append(column.items(), item.type(), 3 * row + it) }
    }

    /** The rows as objects that compare by content. */
    fun rows(array: DeviceArray): List<Any?> = (0 until array.length()).map { plain(array.asColumn().get(it)) }

    /** The values of an array that is no batch. */
    fun rowsOfColumn(array: DeviceArray): List<Any?> = array.asColumn().let { column -> (0 until column.length()).map { plain(column.get(it)) } }

    private fun plain(value: Any?): Any? = when (value) {
        is ByteArray -> value.toList()
        is List<*> -> value.map(::plain)
        is Map<*, *> -> value.mapValues { plain(it.value) }
        else -> value
    }

    /** Exports, has the peer read, and releases. The array is spent. */
    fun checksum(array: DeviceArray): Long = Arena.ofConfined().use { arena ->
        val (out, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
        array.use { it.exportArray(out, schema) }
        PeerNodes.checksum(out, schema).also {
            PeerMoves.release(out, StructKind.ARRAY)
            PeerMoves.release(schema, StructKind.SCHEMA)
        }
    }
}

internal fun Arena.struct(kind: StructKind): MemorySegment = allocate(kind.size, 8)
