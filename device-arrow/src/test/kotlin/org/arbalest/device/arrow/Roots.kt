// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow

import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.BigIntVector
import org.apache.arrow.vector.VarCharVector
import org.apache.arrow.vector.VectorSchemaRoot

/** Returns a vector of numbers in which every third row is null, beginning with the second. */
internal fun numbers(
    allocator: BufferAllocator,
    name: String = "numbers",
    rows: Int = 10,
) = BigIntVector(name, allocator).apply {
    allocateNew(rows)
    for (row in 0 until rows) if (row % 3 == 1) setNull(row) else set(row, 10L * row)
    valueCount = rows
}

internal fun texts(
    allocator: BufferAllocator,
    name: String = "texts",
    rows: Int = 10,
) = VarCharVector(name, allocator).apply {
    allocateNew()
    for (row in 0 until rows) setSafe(row, "text $row".toByteArray())
    valueCount = rows
}

internal fun root(allocator: BufferAllocator, rows: Int = 10) =
    VectorSchemaRoot.of(numbers(allocator, rows = rows), texts(allocator, rows = rows))

/** Whether this run uses the older one of the two versions of Arrow Java. */
internal val isArrow18 = BufferAllocator::class.java.protectionDomain.codeSource.location.path.contains("-18.")
