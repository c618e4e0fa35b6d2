// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.device.ArrayData
import org.arbalest.device.MemoryManager
import org.arbalest.device.RecordBatch
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import java.lang.foreign.MemorySegment

/**
 * A batch of number columns in main memory. Each column is a separate allocation; together they have the given bytes.
 */
class Batch(val columns: Int, bytes: Long, memory: MemoryManager) : AutoCloseable {
    private val rows = bytes / 8 / columns

    /** The number of bytes of one column. */
    val columnBytes: Long = 8 * rows

    /** The memory of the columns. */
    val segments: List<MemorySegment>

    /** The batch itself. */
    val array: RecordBatch

    init {
        val buffers = List(columns) { memory.allocate(columnBytes) }
        segments = buffers.map { MemorySegment.ofAddress(it.address()).reinterpret(columnBytes) }
        segments.forEachIndexed { i, segment -> Pattern.fill(segment, i) }
        val data = ArrayData.of(rows, 0, listOf(null), buffers.map { ArrayData.of(rows, 0, listOf(null, it)) })
        array = RecordBatch.of(Schema.of(List(columns) { Field.of("c$it", DataType.INT64) }), data)
    }

    /** Writes the pattern of a round into the columns. */
    fun stamp(round: Int): Unit = segments.forEachIndexed { i, segment -> Pattern.stamp(segment, i, round) }

    /** Compares a received column with this batch's column. */
    fun compare(column: Int, actual: MemorySegment, direction: String, round: Int): Unit =
        Pattern.compare(segments[column], actual) { "copy ${round + 1} $direction: column c$column of $columns" }

    override fun close(): Unit = array.close()
}

/** Returns the address of a column's numbers. */
fun RecordBatch.numbersOf(column: Int): Long = column(column).bufferAddress(1)
