// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop

import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceType
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArrayStream
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Interval
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.Schema
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.math.BigDecimal
import java.time.Period

/**
 * Batches of three columns. Column `i` holds the row number; `v` and `w` hold the value of that row. Column `w` starts
 * at an offset within its buffers.
 */
internal object Batches {
    fun schema(type: TypeCase): Schema =
        Schema.of(listOf(Field.of("i", DataType.INT64), type.field, type.field.withName("w")))

    /**
     * Returns rows laid by hand. Column `w` has [before] more rows in front of its offset, and then its null count is
     * unknown.
     */
    fun laid(type: TypeCase, from: Int, rows: Int, before: Int = 3): RecordBatch {
        val numbers = (from until from + rows).toList()
        val longer = Laid.lay(type.type, (from - before until from + rows).map { type.value(maxOf(0, it)) })
        val nulls = if (before == 0 || longer.buffers().isEmpty() || type.type is NestedType.UnionType)
            minOf(longer.nullCount(), rows.toLong()) else -1
        val shifted =
            ArrayData(rows.toLong(), nulls, before.toLong(), longer.buffers(), longer.children(), longer.dictionary())
        val columns = listOf(Laid.lay(DataType.INT64, numbers.map { it.toLong() }),
            Laid.lay(type.type, numbers.map(type::value)), shifted)
        return RecordBatch.of(schema(type), ArrayData.of(rows.toLong(), 0, listOf(null), columns))
    }

    /** Returns rows made by the library's builders. */
    fun built(type: TypeCase, from: Int, rows: Int): RecordBatch {
        val numbers = (from until from + rows).toList()
        val values = numbers.map(type::value)
        return Built.batch(schema(type).fields().zip(listOf(numbers.map { it.toLong() }, values, values)))
    }

    /** Returns some rows of this batch, and closes the batch. */
    fun RecordBatch.part(from: Long, rows: Long): RecordBatch = use { it.slice(from, rows) }

    /** Returns a stream that calls [make] for each batch that is pulled, and ends when [make] returns null. */
    fun stream(type: TypeCase, make: (Int) -> RecordBatch?): RecordBatchReader {
        var next = 0
        return RecordBatchReader.of(schema(type), DeviceType.CPU) { make(next++) }
    }

    /** Returns the rows of a stream as a map from `i` to the [plain] value of `v`, and closes all batches. */
    fun read(reader: RecordBatchReader): Map<Long, Any?> = buildMap {
        while (true) {
            reader.next()?.use { batch ->
                val (number, value) = batch.column("i") to batch.column("v")
                for (row in 0 until batch.length()) {
                    val i = number.getLong(row)
                    check(i !in this) { "the stream returned row $i twice" }
                    put(i, plain(value.get(row)))
                }
            } ?: break
        }
    }

    /** Returns the result that [read] must return for these rows. */
    fun expected(type: TypeCase, rows: Iterable<Int>): Map<Long, Any?> =
        rows.associate { it.toLong() to plain(type.value(it)) }

    /** Converts the values of [Laid] and the values that a column returns to the same objects, compared by content. */
    fun plain(value: Any?): Any? = when (value) {
        is ByteArray -> value.toList()
        is List<*> -> value.map(::plain)
        is Map<*, *> -> value.mapValues { plain(it.value) }
        is Map.Entry<*, *> -> mapOf("key" to plain(value.key), "value" to plain(value.value))
        is Variant -> plain(value.value)
        is Period -> Interval(value.toTotalMonths().toInt(), 0, 0)
        is BigDecimal -> if (value.scale() == 0) value.toLong() else value // uint64
        else -> value
    }
}

/** Runs [block] with this reader as a C stream, and releases the stream if [block] did not take it over. */
internal fun <T> RecordBatchReader.asStruct(block: (MemorySegment) -> T): T = Arena.ofShared().use { arena ->
    val stream = arena.allocate(ArrowArrayStreamStruct.LAYOUT)
    CData.exportStream(this, stream, CExport.DATA)
    try {
        block(stream)
    } finally {
        if (RawArrowArrayStream.release(stream.address()) != 0L) CData.importStream(stream, CImport.DATA).close()
    }
}
