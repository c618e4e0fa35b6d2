// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.BinaryViewType
import org.arbalest.device.types.FlatType.Utf8ViewType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.LargeListViewType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.EveryType

/** A type of the format. */
internal class IpcType(val name: String, private val column: Field) {
    /** Whether the rows of a slice can be cut out of the buffers; otherwise the writer copies the whole batch. */
    val canBeCut: Boolean get() = canBeCut(column.type())
    val isUnion: Boolean get() = column.type() is UnionType
    val isNarrowDecimal: Boolean get() = column.type() in listOf(DataType.decimal32(9, 2), DataType.decimal64(18, 2))

    /** Whether there is a dictionary, whose values have no field of their own in the format, and so no name. */
    val isEncoded: Boolean get() = column.type() is DictionaryType

    /** The rows of a batch, which of them are visible, and where the type is in the columns. */
    enum class Shape {
        WHOLE, SLICED, EMPTY, EMPTY_SLICE, WITHOUT_NULLS, ALL_NULL, NESTED, NESTED_SLICE, FIXED_LISTS
    }

    private fun columns(shape: Shape): List<Field> {
        val item = column.withName("item")
        return when (shape) {
            Shape.WITHOUT_NULLS -> listOf(column.withName(name).withNullable(column.type() == DataType.NULL))
            Shape.NESTED, Shape.NESTED_SLICE -> listOf(
                Field.of("struct of $name", StructType(listOf(item, Field.of("n", DataType.INT32)))),
                Field.of("list of $name", DataType.list(item)),
                Field.of("large list of structs of $name",
                    DataType.largeList(Field.of("item", StructType(listOf(item))))),
                Field.of("map to $name", DataType.map(Field.of("key", DataType.UTF8), item.withName("value"))),
                Field.of("list of lists of $name", DataType.list(Field.of("item", DataType.list(item)))),
            )
            Shape.FIXED_LISTS -> listOf(Field.of("fixed-size list of $name", DataType.fixedSizeList(item, 2)))
            else -> listOf(column.withName(name))
        }
    }

    override fun toString(): String = name

    companion object {
        private const val ROWS = 40
        private const val NESTED_ROWS = 14 // no number in a list of lists exceeds 8 bits

        private fun of(type: DataType, name: String = "$type") = IpcType(name, Field.of("v", type))

        private val units: List<IpcType> = ArrowTimeUnit.entries.flatMap { unit ->
            listOf(DataType.time(unit), DataType.timestamp(unit, null), DataType.timestamp(unit, "Europe/Zurich"),
                DataType.duration(unit)).map(::of)
        }

        private val indices: List<IpcType> = listOf(DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64,
            DataType.UINT8, DataType.UINT16, DataType.UINT32, DataType.UINT64).flatMap { index ->
            listOf(false, true).map { isOrdered ->
                of(DictionaryType(index, Field.of("", DataType.UTF8), isOrdered),
                    "dictionary by $index" + if (isOrdered) ", ordered" else "")
            }
        }

        /** Every type of the format, most of them with one choice of parameters. */
        val main: List<IpcType> = EveryType.fields.map { IpcType(it.name(), it) }

        /** Every type of the format, with each of its parameters. */
        val all: List<IpcType> = main + units + indices +
            of(DataType.runEndEncoded(DataType.INT64, Field.of("values", DataType.UTF8)), "long_runs")

        private fun canBeCut(type: DataType): Boolean = when (type) {
            is Utf8ViewType, is BinaryViewType, is ListViewType, is LargeListViewType, is RunEndEncodedType -> false
            is UnionType -> type.mode() == UnionMode.SPARSE && type.children().all { canBeCut(it.type()) }
            else -> type.children().all { canBeCut(it.type()) }
        }

        /** Returns a batch with the columns of these types, which the caller closes. */
        fun batch(types: List<IpcType>, shape: Shape): RecordBatch {
            val fields = types.flatMap { it.columns(shape) }
            return when (shape) {
                Shape.WHOLE -> batch(fields, 0 until ROWS)
                Shape.SLICED -> batch(fields, 0 until ROWS).part(5, 21) // neither end is at a byte
                Shape.EMPTY -> batch(fields, IntRange.EMPTY)
                Shape.EMPTY_SLICE -> batch(fields, 0 until ROWS).part(7, 0)
                Shape.WITHOUT_NULLS -> batch(fields, 0..ROWS step 4)
                Shape.ALL_NULL -> build(fields, ROWS) { column, type -> repeat(ROWS) { appendNull(column, type) } }
                Shape.NESTED, Shape.FIXED_LISTS -> batch(fields, 0 until NESTED_ROWS)
                Shape.NESTED_SLICE -> batch(fields, 0 until NESTED_ROWS).part(3, 9)
            }
        }

        /** Returns some rows of this batch, and closes the batch. */
        fun RecordBatch.part(from: Long, rows: Long): RecordBatch = use { it.slice(from, rows) }

        private fun batch(fields: List<Field>, rows: IntProgression) = build(fields, rows.count()) { column, type ->
            for (row in rows) EveryType.append(column, type, row)
        }

        private fun build(fields: List<Field>, rows: Int, fill: (ColumnBuilder, DataType) -> Unit): RecordBatch =
            BatchBuilder.of(Devices.cpu(), rows).use { batch ->
                for (field in fields) fill(batch.column(field), field.type())
                batch.build()
            }

        /** Appends a null; the fields of a null struct are null, too. */
        private fun appendNull(column: ColumnBuilder, type: DataType) {
            if (type is StructType)
                type.fields().forEachIndexed { i, field -> appendNull(column.child(i), field.type()) }
            column.appendNull()
        }
    }
}
