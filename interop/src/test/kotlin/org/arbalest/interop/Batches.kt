// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop

import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.DeviceType
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
 * Batches of three columns: `i` is the number of the row, `v` and `w` are its value, where `w` begins somewhere within
 * its buffers.
 */
internal object Batches {
    fun schema(type: TypeCase): Schema =
        Schema.of(listOf(Field.of("i", DataType.INT64), type.field, type.field.withName("w")))

    /** Rows laid by hand, with so many others before `w`, whose nulls nobody has counted then. */
    fun laid(type: TypeCase, from: Int, rows: Int, before: Int = 3): DeviceArray {
        val numbers = (from until from + rows).toList()
        val longer = Laid.lay(type.type, (from - before until from + rows).map { type.value(maxOf(0, it)) })
        val nulls = if (before == 0 || longer.buffers().isEmpty() || type.type is NestedType.UnionType)
            minOf(longer.nullCount(), rows.toLong()) else -1
        val shifted =
            ArrayData(rows.toLong(), nulls, before.toLong(), longer.buffers(), longer.children(), longer.dictionary())
        val columns = listOf(Laid.lay(DataType.INT64, numbers.map { it.toLong() }),
            Laid.lay(type.type, numbers.map(type::value)), shifted)
        return DeviceArray.of(schema(type).asField(), ArrayData.of(rows.toLong(), 0, listOf(null), columns))
    }

    /** Rows by the library's builders. */
    fun built(type: TypeCase, from: Int, rows: Int): DeviceArray {
        val numbers = (from until from + rows).toList()
        val values = numbers.map(type::value)
        return Built.batch(schema(type).fields().zip(listOf(numbers.map { it.toLong() }, values, values)))
    }

    /** Some of the rows of a batch, which is closed. */
    fun DeviceArray.part(from: Long, rows: Long): DeviceArray = use { it.slice(from, rows) }

    /** A stream of what is made when it is pulled; ends where [make] answers null. */
    fun stream(type: TypeCase, make: (Int) -> DeviceArray?): DeviceArrayReader {
        var next = 0
        return DeviceArrayReader.of(schema(type), DeviceType.CPU) { make(next++) }
    }

    /** The rows of a stream, `i` to what `v` is, [plain]. All batches are closed. */
    fun read(reader: DeviceArrayReader): Map<Long, Any?> = buildMap {
        while (true) {
            reader.next()?.use { batch ->
                val (number, value) = batch.column("i") to batch.column("v")
                for (row in 0 until batch.length()) {
                    val i = number.getLong(row)
                    check(i !in this) { "row $i comes twice" }
                    put(i, plain(value.get(row)))
                }
            } ?: break
        }
    }

    /** What [read] must answer. */
    fun expected(type: TypeCase, rows: Iterable<Int>): Map<Long, Any?> =
        rows.associate { it.toLong() to plain(type.value(it)) }

    /** What [Laid] lays, and what a column answers, as the same objects, which compare by content. */
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

/** Runs [block] with this reader as a C stream, which is released afterwards if nobody took it. */
internal fun <T> DeviceArrayReader.asStruct(block: (MemorySegment) -> T): T = Arena.ofShared().use { arena ->
    val stream = arena.allocate(ArrowArrayStreamStruct.LAYOUT)
    CData.exportStream(this, stream, CExport.DATA)
    try {
        block(stream)
    } finally {
        if (RawArrowArrayStream.release(stream.address()) != 0L) CData.importStream(stream, CImport.DATA).close()
    }
}
