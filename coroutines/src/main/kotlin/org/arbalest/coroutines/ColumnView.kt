// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.columns.Column

/**
 * A view of a column's values as Kotlin types. As a [Collection] it boxes each value, and contains null for a null row.
 *
 * **Lifetime.** The view is borrowed like the [column]: it is valid while the array's handle is open, and then throws
 * [IllegalStateException]. It copies nothing and caches nothing.
 *
 * **Speed.** In hot loops, use `indices` and the `get` of each view, which box nothing:
 *
 *     val delays = batch["delay"].longs()
 *     for (row in delays.indices) if (!delays.isNull(row)) sum += delays[row]
 *     delays.forEachValid { _, delay -> sum += delay } // the same
 *
 * [longs], [ints], [doubles], [floats], [booleans] and [byteStrings] are core's typed views
 * ([org.arbalest.device.columns.ColumnView]). Each reads one width, so such a loop is as fast as a loop over an array.
 * [integers], [ulongs], [numbers] and [flags] read any width and any encoding, and cost some nanoseconds per value. For
 * loops over int8, int16 and float16, and over stored unsigned numbers and decimals, use core's views:
 * `column.asBytes()`, `asShorts()`, `asHalfFloats()`; `asInts()[row].toUInt()`.
 *
 * **Dictionaries.** The views read a dictionary-encoded column as its values. To count or compare without creating
 * strings, read [Column.indices] and [Column.dictionary] instead:
 *
 *     val codes = batch["city"].indices().ints() // of 32 bits; core's asBytes() and asShorts() read 8 and 16 bits
 *     val names = batch["city"].dictionary().strings()
 *
 * The functions of [Collection] box each value, and include nulls. The `sum()` of a view of numbers boxes nothing, and
 * skips nulls.
 *
 * **Errors.** `get` throws [NoSuchElementException] for a null row and [IndexOutOfBoundsException] for a row outside
 * the column. It throws [IllegalArgumentException] if the view cannot read the column's type. A view of more than 2^31
 * - 1 rows is an [IllegalArgumentException]; view a slice of the array.
 *
 * @property column the column that this view reads
 */
public sealed class ColumnView<out T : Any>(public val column: Column) : AbstractCollection<T?>() {
    // a loop over the `indices` of a Collection is one that the JIT optimizes
    /** The number of rows. */
    final override val size: Int = countOf(column.length())

    /** The number of null rows. */
    public val nullCount: Int get() = column.nullCount().toInt()

    /** Returns whether a row is null. */
    public open fun isNull(row: Int): Boolean = column.isNull(row.toLong())

    /** Returns the value of a row, or null if the row is null. */
    public fun getOrNull(row: Int): T? = if (isNull(row)) null else read(row)

    final override fun iterator(): Iterator<T?> = indices.asSequence().map(::getOrNull).iterator()

    /** Returns the value of a row that is not null. */
    protected abstract fun read(row: Int): T

    /** Returns the column's name and type, and the number of rows. */
    final override fun toString(): String = "${column.field()}, $size rows"
}

/** A view of integers of any width, dates, times, timestamps and durations, as their stored numbers. */
public class IntegerView internal constructor(column: Column) : ColumnView<Long>(column) {
    /** Returns the value of a row that is not null. */
    public operator fun get(row: Int): Long = column.getLong(row.toLong())

    /**
     * Returns all values, with [ifNull] in place of nulls.
     *
     * @throws NoSuchElementException if a row is null and [ifNull] is null; the message names the first such row
     */
    public fun toArray(ifNull: Long? = null): LongArray = if (ifNull == null) column.toLongArray()
    else column.toLongArray(ifNull)

    override fun read(row: Int): Long = get(row)
}

/** A view of booleans in any storage. */
public class FlagView internal constructor(column: Column) : ColumnView<Boolean>(column) {
    /** Returns the value of a row that is not null. */
    public operator fun get(row: Int): Boolean = column.getBoolean(row.toLong())

    /**
     * Returns all values, with [ifNull] in place of nulls.
     *
     * @throws NoSuchElementException if a row is null and [ifNull] is null; the message names the first such row
     */
    public fun toArray(ifNull: Boolean? = null): BooleanArray {
        column.requireFlags()
        return BooleanArray(size) { row -> if (ifNull != null && isNull(row)) ifNull else get(row) }
    }

    override fun read(row: Int): Boolean = get(row)
}

/** A view of unsigned integers of any width. */
public class ULongView internal constructor(column: Column) : ColumnView<ULong>(column) {
    /** Returns the value of a row that is not null. */
    public operator fun get(row: Int): ULong = column.getLong(row.toLong()).toULong()

    /**
     * Returns all values, with [ifNull] in place of nulls.
     *
     * @throws NoSuchElementException if a row is null and [ifNull] is null; the message names the first such row
     */
    @ExperimentalUnsignedTypes
    public fun toArray(ifNull: ULong? = null): ULongArray =
        (if (ifNull == null) column.toLongArray() else column.toLongArray(ifNull.toLong())).asULongArray()

    override fun read(row: Int): ULong = get(row)
}

/** A view of numbers of any type, each as the nearest `Double`. */
public class NumberView internal constructor(column: Column) : ColumnView<Double>(column) {
    /** Returns the value of a row that is not null. */
    public operator fun get(row: Int): Double = column.getDouble(row.toLong())

    /**
     * Returns all values, with [ifNull] in place of nulls.
     *
     * @throws NoSuchElementException if a row is null and [ifNull] is null; the message names the first such row
     */
    public fun toArray(ifNull: Double? = null): DoubleArray = if (ifNull == null) column.toDoubleArray()
    else column.toDoubleArray(ifNull)

    override fun read(row: Int): Double = get(row)
}

/** A view of values that are objects: text, bytes, decimals, dates and times, lists. Each read creates a new object. */
public class ObjectView<out T : Any> internal constructor(
    column: Column,
    private val reader: Reader<T>,
) : ColumnView<T>(column) {
    /** Returns the value of a row that is not null. */
    public operator fun get(row: Int): T = reader.read(column, row.toLong())

    override fun read(row: Int): T = get(row)
}

/** One getter of a column. It has its own type, because a function type would box the row. */
internal fun interface Reader<out T : Any> {
    fun read(column: Column, row: Long): T
}
