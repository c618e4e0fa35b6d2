package org.arbalest.testkit

import org.arbalest.device.ColumnBuilder
import org.arbalest.device.DataType
import org.arbalest.device.DataType.BinaryType
import org.arbalest.device.DataType.DateType
import org.arbalest.device.DataType.DateUnit
import org.arbalest.device.DataType.DecimalType
import org.arbalest.device.DataType.DictionaryType
import org.arbalest.device.DataType.DurationType
import org.arbalest.device.DataType.FixedSizeBinaryType
import org.arbalest.device.DataType.IntType
import org.arbalest.device.DataType.LargeBinaryType
import org.arbalest.device.DataType.LargeListType
import org.arbalest.device.DataType.LargeUtf8Type
import org.arbalest.device.DataType.ListType
import org.arbalest.device.DataType.NullType
import org.arbalest.device.DataType.StructType
import org.arbalest.device.DataType.TimeType
import org.arbalest.device.DataType.TimestampType
import org.arbalest.device.DataTypes
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.Field
import org.arbalest.device.TimeUnit
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/** Batches with a column of every type that can be built, and what is in them. */
internal object EveryType {
    private val item = Field.of("item", StructType(listOf(Field.of("x", DataTypes.INT64), Field.of("word", DataTypes.UTF8))))

    /** The columns by name. Row `i` is null where `i % 4` is 3. */
    private val types: Map<String, DataType> = mapOf(
        "nothing" to NullType(),
        "bool" to DataTypes.BOOL,
        "int8" to DataTypes.INT8, "int16" to DataTypes.INT16, "int32" to DataTypes.INT32, "int64" to DataTypes.INT64,
        "uint8" to DataTypes.UINT8, "uint16" to DataTypes.UINT16, "uint32" to DataTypes.UINT32, "uint64" to DataTypes.UINT64,
        "float16" to DataTypes.FLOAT16, "float32" to DataTypes.FLOAT32, "float64" to DataTypes.FLOAT64,
        "utf8" to DataTypes.UTF8, "large_utf8" to LargeUtf8Type(),
        "binary" to BinaryType(), "large_binary" to LargeBinaryType(), "fixed_binary" to FixedSizeBinaryType(3),
        "date32" to DateType(DateUnit.DAY), "date64" to DateType(DateUnit.MILLISECOND),
        "time32" to TimeType(TimeUnit.SECOND), "time64" to TimeType(TimeUnit.NANOSECOND),
        "timestamp" to TimestampType(TimeUnit.MICROSECOND, "UTC"), "duration" to DurationType(TimeUnit.MILLISECOND),
        "decimal32" to DecimalType(32, 9, 2), "decimal64" to DecimalType(64, 18, 2),
        "decimal128" to DecimalType(128, 38, 2), "decimal256" to DecimalType(256, 76, 2),
        "struct" to StructType(listOf(Field.of("x", DataTypes.INT64), Field.of("word", DataTypes.UTF8))),
        "list" to ListType(item), "large_list" to LargeListType(item),
        "list_of_lists" to ListType(Field.of("item", ListType(Field.of("item", DataTypes.BOOL)))),
        "dictionary" to DictionaryType(IntType(16, true), Field.of("", DataTypes.UTF8), false),
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
            append(column.child("x"), DataTypes.INT64, row + 1)
            append(column.child("word"), DataTypes.UTF8, row + 2)
        }
        if (row % 4 == 3 || type is NullType) {
            column.appendNull()
            return
        }
        when (type) {
            is DataType.BoolType -> column.append(row % 3 == 0)
            is DataType.FloatType -> column.append(row / 2.0)
            is DataType.Utf8Type, is LargeUtf8Type -> column.append("row ".repeat(row % 3) + row)
            is DictionaryType -> column.append("word ${row % 5}")
            is BinaryType, is LargeBinaryType -> column.append(ByteArray(row % 5) { row.toByte() })
            is FixedSizeBinaryType -> column.append(byteArrayOf(row.toByte(), 0, 1))
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
