// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.columns.Column

/**
 * A column's values as Kotlin reads them; as a [Collection], boxed, with null for a null row.
 *
 * Borrowed like the [column]: usable while the array's handle is open, after which it throws [IllegalStateException].
 * It copies nothing and caches nothing. For hot loops there are the rows' `indices` and the views' `get`, which box
 * nothing:
 *
 *     val delays = batch["delay"].longs()
 *     for (row in delays.indices) if (!delays.isNull(row)) sum += delays[row]
 *     delays.forEachValid { _, delay -> sum += delay } // the same
 *
 * [longs], [ints], [doubles], [floats], [booleans] and [byteStrings] are core's typed views
 * ([org.arbalest.device.columns.ColumnView]): each reads one width, so that such a loop is as fast as one over an
 * array. [integers], [ulongs], [numbers] and [flags] read any, and what is encoded, and cost some nanoseconds a value.
 * For loops over int8, int16 and float16, and over unsigned numbers and decimals as they are stored, there are core's
 * own: `column.asBytes()`, `asShorts()`, `asHalfFloats()`; `asInts()[row].toUInt()`.
 *
 * What [Collection] brings is for the rest: it boxes each value, and has the nulls. `sum()` of a view of numbers boxes
 * nothing, and leaves nulls out.
 *
 * `get` throws [NoSuchElementException] for a null row, [IndexOutOfBoundsException] for one that is not there, and
 * [IllegalArgumentException] if the column's type is not one that the view reads. There is no view of more than
 * 2^31 - 1 rows: that is an [IllegalArgumentException], and a slice of the array helps.
 *
 * @property column the column that is viewed
 */
public sealed class ColumnView<out T : Any>(public val column: Column) : AbstractCollection<T?>() {
    // a loop over the `indices` of a Collection is one that the JIT knows
    /** The number of rows. */
    final override val size: Int = countOf(column.length())

    /** The number of nulls. */
    public val nullCount: Int get() = column.nullCount().toInt()

    /** Whether a row is null. */
    public open fun isNull(row: Int): Boolean = column.isNull(row.toLong())

    /** The value, or null if the row is null. */
    public fun getOrNull(row: Int): T? = if (isNull(row)) null else read(row)

    final override fun iterator(): Iterator<T?> = indices.asSequence().map(::getOrNull).iterator()

    /** The value of a row that is not null. */
    protected abstract fun read(row: Int): T

    /** The column's name and type, and the number of rows. */
    final override fun toString(): String = "${column.field()}, $size rows"
}

/** Integers of any width, dates, times, timestamps and durations as the numbers that they are stored as. */
public class IntegerView internal constructor(column: Column) : ColumnView<Long>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): Long = column.getLong(row.toLong())

    /**
     * All values, [ifNull] for the nulls; [NoSuchElementException] if there are nulls and nothing is given for them,
     * with the first such row.
     */
    public fun toArray(ifNull: Long? = null): LongArray = if (ifNull == null) column.toLongArray()
    else column.toLongArray(ifNull)

    override fun read(row: Int): Long = get(row)
}

/** Booleans, however they are stored. */
public class FlagView internal constructor(column: Column) : ColumnView<Boolean>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): Boolean = column.getBoolean(row.toLong())

    /**
     * All values, [ifNull] for the nulls; [NoSuchElementException] if there are nulls and nothing is given for them,
     * with the first such row.
     */
    public fun toArray(ifNull: Boolean? = null): BooleanArray {
        column.requireFlags()
        return BooleanArray(size) { row -> if (ifNull != null && isNull(row)) ifNull else get(row) }
    }

    override fun read(row: Int): Boolean = get(row)
}

/** Unsigned integers of any width. */
public class ULongView internal constructor(column: Column) : ColumnView<ULong>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): ULong = column.getLong(row.toLong()).toULong()

    /**
     * All values, [ifNull] for the nulls; [NoSuchElementException] if there are nulls and nothing is given for them,
     * with the first such row.
     */
    @ExperimentalUnsignedTypes
    public fun toArray(ifNull: ULong? = null): ULongArray =
        (if (ifNull == null) column.toLongArray() else column.toLongArray(ifNull.toLong())).asULongArray()

    override fun read(row: Int): ULong = get(row)
}

/** Numbers of any type, as the nearest `Double`. */
public class NumberView internal constructor(column: Column) : ColumnView<Double>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): Double = column.getDouble(row.toLong())

    /**
     * All values, [ifNull] for the nulls; [NoSuchElementException] if there are nulls and nothing is given for them,
     * with the first such row.
     */
    public fun toArray(ifNull: Double? = null): DoubleArray = if (ifNull == null) column.toDoubleArray()
    else column.toDoubleArray(ifNull)

    override fun read(row: Int): Double = get(row)
}

/** Values that are objects, made anew by each reading: text, bytes, decimals, dates and times, lists. */
public class ObjectView<out T : Any> internal constructor(
    column: Column,
    private val reader: Reader<T>,
) : ColumnView<T>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): T = reader.read(column, row.toLong())

    override fun read(row: Int): T = get(row)
}

/** One of a column's getters; of its own type, since a function's would box the row. */
internal fun interface Reader<out T : Any> {
    fun read(column: Column, row: Long): T
}
