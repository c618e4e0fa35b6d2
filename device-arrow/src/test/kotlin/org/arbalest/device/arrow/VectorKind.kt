// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.BaseFixedWidthVector
import org.apache.arrow.vector.BaseIntVector
import org.apache.arrow.vector.BaseLargeVariableWidthVector
import org.apache.arrow.vector.BaseVariableWidthVector
import org.apache.arrow.vector.BaseVariableWidthViewVector
import org.apache.arrow.vector.BitVectorHelper
import org.apache.arrow.vector.ExtensionTypeVector
import org.apache.arrow.vector.FieldVector
import org.apache.arrow.vector.IntVector
import org.apache.arrow.vector.NullVector
import org.apache.arrow.vector.VarCharVector
import org.apache.arrow.vector.complex.DenseUnionVector
import org.apache.arrow.vector.complex.FixedSizeListVector
import org.apache.arrow.vector.complex.LargeListVector
import org.apache.arrow.vector.complex.LargeListViewVector
import org.apache.arrow.vector.complex.ListVector
import org.apache.arrow.vector.complex.ListViewVector
import org.apache.arrow.vector.complex.MapVector
import org.apache.arrow.vector.complex.RunEndEncodedVector
import org.apache.arrow.vector.complex.StructVector
import org.apache.arrow.vector.complex.UnionVector
import org.apache.arrow.vector.extension.OpaqueType
import org.apache.arrow.vector.types.DateUnit
import org.apache.arrow.vector.types.FloatingPointPrecision
import org.apache.arrow.vector.types.IntervalUnit
import org.apache.arrow.vector.types.TimeUnit
import org.apache.arrow.vector.types.Types.MinorType
import org.apache.arrow.vector.types.UnionMode
import org.apache.arrow.vector.types.pojo.ArrowType
import org.apache.arrow.vector.types.pojo.Field
import org.apache.arrow.vector.types.pojo.FieldType

/** A class and type of vectors, which can be made and filled with rows, some of them null. */
class VectorKind(
    val name: String,
    private val make: (BufferAllocator) -> FieldVector,
    private val fill: (FieldVector, Int, (Int) -> Boolean) -> Unit,
) {
    /** Returns a filled vector. By default, every third row is null, beginning with the second. */
    fun filled(allocator: BufferAllocator, rows: Int, isNull: (Int) -> Boolean = { it % 3 == 1 }): FieldVector {
        val vector = make(allocator)
        try {
            fill(vector, rows, isNull)
        } catch (e: Throwable) {
            vector.close()
            throw e
        }
        return vector
    }

    fun empty(allocator: BufferAllocator): FieldVector = make(allocator)

    override fun toString() = name

    companion object {
        private fun kind(
            type: ArrowType,
            children: List<Field> = emptyList(),
            fill: (FieldVector, Int, (Int) -> Boolean) -> Unit,
        ) =
            VectorKind("$type", { Field("v", FieldType.nullable(type), children).createVector(it) }, fill)

        private fun field(name: String, type: ArrowType, isNullable: Boolean = true, vararg children: Field) =
            Field(name, FieldType(isNullable, type, null), children.toList())

        private val int32 = ArrowType.Int(32, true)
        private val utf8 = ArrowType.Utf8.INSTANCE

        private val fixed: List<ArrowType> = buildList {
            for (bits in listOf(8, 16, 32, 64)) {
                add(ArrowType.Int(bits, true))
                add(ArrowType.Int(bits, false))
            }
            FloatingPointPrecision.entries.forEach { add(ArrowType.FloatingPoint(it)) }
            add(ArrowType.Bool.INSTANCE)
            add(ArrowType.Decimal(20, 2, 128))
            add(ArrowType.Decimal(50, 3, 256))
            add(ArrowType.FixedSizeBinary(5))
            DateUnit.entries.forEach { add(ArrowType.Date(it)) }
            for (unit in TimeUnit.entries) {
                add(ArrowType.Time(unit, if (unit <= TimeUnit.MILLISECOND) 32 else 64))
                add(ArrowType.Timestamp(unit, null))
                add(ArrowType.Timestamp(unit, "Europe/Zurich"))
                add(ArrowType.Duration(unit))
            }
            IntervalUnit.entries.forEach { add(ArrowType.Interval(it)) }
        }

        private val texts = listOf(utf8, ArrowType.LargeUtf8.INSTANCE, ArrowType.Utf8View.INSTANCE,
            ArrowType.Binary.INSTANCE, ArrowType.LargeBinary.INSTANCE, ArrowType.BinaryView.INSTANCE)

        init {
            OpaqueType.ensureRegistered()
        }

        /** All classes of vectors that Arrow Java has, in all types. */
        val all: List<VectorKind> = fixed.map { kind(it, fill = ::fillFixed) } +
            texts.map { kind(it, fill = ::fillText) } + listOf(
                kind(ArrowType.Null.INSTANCE) { vector, rows, _ -> (vector as NullVector).valueCount = rows },
                kind(ArrowType.List.INSTANCE, listOf(field("item", int32)), ::fillList),
                kind(ArrowType.LargeList.INSTANCE, listOf(field("item", int32)), ::fillList),
                kind(ArrowType.ListView.INSTANCE, listOf(field("item", int32)), ::fillList),
                kind(ArrowType.LargeListView.INSTANCE, listOf(field("item", int32)), ::fillList),
                kind(ArrowType.FixedSizeList(3), listOf(field("item", int32)), ::fillFixedList),
                kind(ArrowType.Struct.INSTANCE, listOf(field("a", int32), field("b", utf8)), ::fillStruct),
                kind(ArrowType.Map(false), listOf(
                    field("entries", ArrowType.Struct.INSTANCE, false, field("key", utf8, false),
                        field("value", int32)),
                ), ::fillMap),
                VectorKind("sparse union", { UnionVector.empty("v", it) }, ::fillSparse),
                VectorKind("dense union", { DenseUnionVector.empty("v", it) }, ::fillDense),
                runs(16),
                runs(32),
                runs(64),
                kind(OpaqueType(utf8, "colour", "somebody"), fill = ::fillExtension),
            ) + uuids()

        /** Nested types, whose children are read at the positions that the outer type gives. */
        val nested: List<VectorKind> = listOf(
            VectorKind("list of lists", list(field("item", ArrowType.List.INSTANCE, true, field("item", int32))),
                fillListOf(::fillList)),
            VectorKind(
                "list of structs",
                list(field("item", ArrowType.Struct.INSTANCE, true, field("a", int32), field("b", utf8))),
                fillListOf(::fillStruct),
            ),
            VectorKind("list of dense unions", list(field("item", ArrowType.Union(UnionMode.Dense, intArrayOf(0, 1)),
                true, field("int0", int32), field("varchar1", utf8))), fillListOf(::fillDense)),
            VectorKind("list of run ends", list(field("item", ArrowType.RunEndEncoded.INSTANCE, true,
                field("run_ends", int32, false), field("values", utf8))), fillListOf(::fillRuns)),
        )

        private fun list(item: Field): (BufferAllocator) -> FieldVector = {
            field("v", ArrowType.List.INSTANCE, true, item).createVector(it)
        }

        private fun runs(bits: Int) = VectorKind("run ends of $bits bits", {
            field("v", ArrowType.RunEndEncoded.INSTANCE, true, field("run_ends", ArrowType.Int(bits, true), false),
                field("values", utf8)).createVector(it)
        }, ::fillRuns)

        /** Returns the kind of a type that Arrow Java 18.3 does not have. */
        private fun uuids(): List<VectorKind> {
            val type = try {
                Class.forName("org.apache.arrow.vector.extension.UuidType").getField("INSTANCE").get(null) as ArrowType
            } catch (_: ReflectiveOperationException) {
                return emptyList()
            }
            return listOf(kind(type, fill = ::fillExtension))
        }
    }
}

/** Fills a vector with small numbers, which are valid values of any fixed-width type. */
private fun fillFixed(vector: FieldVector, rows: Int, isNull: (Int) -> Boolean) {
    vector as BaseFixedWidthVector
    vector.allocateNew(rows)
    for (row in 0 until rows) {
        if (isNull(row)) continue
        BitVectorHelper.setBit(vector.validityBuffer, row.toLong())
        if (vector.minorType == MinorType.BIT) {
            if (row % 5 < 2) BitVectorHelper.setBit(vector.dataBuffer, row.toLong())
            continue
        }
        val value = if (vector.minorType == MinorType.DATEMILLI) row * 86_400_000L else row * 7L + 1
        for (i in 0 until minOf(vector.typeWidth, Long.SIZE_BYTES))
            vector.dataBuffer.setByte(row.toLong() * vector.typeWidth + i, (value shr (8 * i)).toInt())
    }
    vector.valueCount = rows
}

/** Returns a text; some fit into a view and some do not. */
private fun text(row: Int) = ("row $row" + " and more".repeat(row % 4)).toByteArray()

private fun fillText(vector: FieldVector, rows: Int, isNull: (Int) -> Boolean) {
    vector.allocateNew()
    for (row in 0 until rows) {
        if (isNull(row)) continue
        when (vector) {
            is BaseVariableWidthVector -> vector.setSafe(row, text(row))
            is BaseLargeVariableWidthVector -> vector.setSafe(row, text(row))
            is BaseVariableWidthViewVector -> vector.setSafe(row, text(row))
            else -> error("cannot fill $vector with text: its class is unknown")
        }
    }
    vector.valueCount = rows
}

private fun fillList(vector: FieldVector, rows: Int, isNull: (Int) -> Boolean) {
    vector.allocateNew()
    val items = vector.childrenFromFields.single() as IntVector
    var at = 0
    for (row in 0 until rows) {
        if (isNull(row)) {
            vector.setNull(row)
            continue
        }
        val size = row % 4
        when (vector) {
            is ListVector -> vector.startNewValue(row)
            is LargeListVector -> vector.startNewValue(row.toLong())
            is ListViewVector -> vector.startNewValue(row)
            is LargeListViewVector -> vector.startNewValue(row)
        }
        repeat(size) { if (it == 2) items.setNull(at++) else items.setSafe(at, 100 * at++) }
        when (vector) {
            is ListVector -> vector.endValue(row, size)
            is LargeListVector -> vector.endValue(row, size.toLong())
            is ListViewVector -> vector.endValue(row, size)
            is LargeListViewVector -> vector.endValue(row, size)
        }
    }
    items.valueCount = at
    vector.valueCount = rows
}

/** Returns a function that fills lists of up to three items; [fill] fills the items. */
private fun fillListOf(fill: (FieldVector, Int, (Int) -> Boolean) -> Unit): (FieldVector, Int, (Int) -> Boolean) ->
Unit = { vector, rows, isNull ->
    vector as ListVector
    vector.allocateNew()
    var at = 0
    for (row in 0 until rows) {
        if (isNull(row)) {
            vector.setNull(row)
        } else {
            vector.startNewValue(row)
            vector.endValue(row, row % 4)
            at += row % 4
        }
    }
    vector.dataVector.clear() // a run-end encoded vector allocates again without releasing its buffers
    fill(vector.dataVector, at, isNull)
    vector.valueCount = rows
}

private fun fillFixedList(vector: FieldVector, rows: Int, isNull: (Int) -> Boolean) {
    vector as FixedSizeListVector
    vector.allocateNew()
    val items = vector.dataVector as IntVector
    for (row in 0 until rows) {
        if (isNull(row)) {
            vector.setNull(row)
            continue
        }
        vector.setNotNull(row)
        repeat(3) { items.setSafe(3 * row + it, row - it) }
    }
    vector.valueCount = rows
}

private fun fillStruct(vector: FieldVector, rows: Int, isNull: (Int) -> Boolean) {
    vector as StructVector
    vector.allocateNew()
    for (row in 0 until rows) {
        if (isNull(row)) {
            vector.setNull(row)
            continue
        }
        vector.setIndexDefined(row)
        (vector.getChild("a") as IntVector).setSafe(row, row)
        if (row % 2 == 0) (vector.getChild("b") as VarCharVector).setSafe(row, text(row))
    }
    vector.setValueCount(rows) // the property valueCount would set the field
}

private fun fillMap(vector: FieldVector, rows: Int, isNull: (Int) -> Boolean) {
    vector as MapVector
    vector.allocateNew()
    val entries = vector.dataVector as StructVector
    val keys = entries.getChild("key") as VarCharVector
    val values = entries.getChild("value") as IntVector
    var at = 0
    for (row in 0 until rows) {
        if (isNull(row)) {
            vector.setNull(row)
            continue
        }
        vector.startNewValue(row)
        repeat(row % 3) {
            entries.setIndexDefined(at)
            keys.setSafe(at, text(it))
            values.setSafe(at, at++)
        }
        vector.endValue(row, row % 3)
    }
    entries.setValueCount(at)
    vector.valueCount = rows
}

/** Fills a sparse union. The nulls are in the children, since a union has no bitmap in the C data interface. */
private fun fillSparse(vector: FieldVector, rows: Int, isNull: (Int) -> Boolean) {
    vector as UnionVector
    vector.allocateNew()
    val numbers = vector.getIntVector()
    val texts = vector.getVarCharVector()
    for (row in 0 until rows) {
        vector.setType(row, if (row % 2 == 0) MinorType.INT else MinorType.VARCHAR)
        if (isNull(row)) continue
        if (row % 2 == 0) numbers.setSafe(row, row) else texts.setSafe(row, text(row))
    }
    vector.valueCount = rows
}

private fun fillDense(vector: FieldVector, rows: Int, isNull: (Int) -> Boolean) {
    vector as DenseUnionVector
    val isNew = vector.childrenFromFields.isEmpty()
    val numberId = if (isNew) vector.registerNewTypeId(Field.nullable("int0", ArrowType.Int(32, true))) else 0.toByte()
    val textId = if (isNew) vector.registerNewTypeId(Field.nullable("varchar1", ArrowType.Utf8.INSTANCE))
    else 1.toByte()
    vector.allocateNew()
    val numbers = vector.getIntVector(numberId)
    val texts = vector.getVarCharVector(textId)
    var number = 0
    var text = 0
    for (row in 0 until rows) {
        val isNumber = row % 2 == 0
        vector.setTypeId(row, if (isNumber) numberId else textId)
        vector.setOffset(row, if (isNumber) number else text)
        if (isNumber) {
            if (isNull(row)) numbers.setNull(number) else numbers.setSafe(number, row)
            number++
        } else {
            if (!isNull(row)) texts.setSafe(text, text(row))
            text++
        }
    }
    vector.valueCount = rows
}

/** Fills a vector with runs of two rows. The first row of a run decides whether the run is null. */
private fun fillRuns(vector: FieldVector, rows: Int, isNull: (Int) -> Boolean) {
    vector as RunEndEncodedVector
    vector.allocateNew()
    val ends = vector.runEndsVector as BaseIntVector
    val values = vector.valuesVector as VarCharVector
    val runs = (rows + 1) / 2
    for (run in 0 until runs) {
        ends.setUnsafeWithPossibleTruncate(run, minOf(2L * run + 2, rows.toLong()))
        if (!isNull(2 * run)) values.setSafe(run, text(run))
    }
    vector.runEndsVector.valueCount = runs
    values.valueCount = runs
    vector.valueCount = rows
}

private fun fillExtension(vector: FieldVector, rows: Int, isNull: (Int) -> Boolean) {
    val storage = (vector as ExtensionTypeVector<*>).underlyingVector as FieldVector
    if (storage is BaseFixedWidthVector) fillFixed(storage, rows, isNull) else fillText(storage, rows, isNull)
}
