package org.arbalest.coroutines

import org.arbalest.device.Column

/**
 * A column's values as Kotlin reads them; as an [Iterable], boxed, with null for a null row.
 *
 * Borrowed like the [column]: usable while the array's handle is open, after which it throws [IllegalStateException].
 * It copies nothing and caches nothing. For hot loops there are [indices] and the views' `get`, which box nothing:
 *
 *     val delays = batch["delay"].longs()
 *     for (row in delays.indices) if (!delays.isNull(row)) sum += delays[row]
 *
 * `get` throws [NoSuchElementException] for a null row, [IndexOutOfBoundsException] for one that is not there, and
 * [IllegalArgumentException] if the column's type is not one that the view reads. There is no view of more than
 * 2^31 - 1 rows: that is an [IllegalArgumentException], and a slice of the array helps.
 *
 * @property column the column that is viewed
 */
public sealed class ColumnView<out T : Any>(public val column: Column) : Iterable<T?> {
    /** The number of rows. */
    public val size: Int = countOf(column.length())

    /** The rows, from 0. */
    public val indices: IntRange get() = 0 until size

    /** The number of nulls. */
    public val nullCount: Int get() = column.nullCount().toInt()

    /** Whether a row is null. */
    public fun isNull(row: Int): Boolean = column.isNull(row.toLong())

    /** The value, or null if the row is null. */
    public fun getOrNull(row: Int): T? = if (isNull(row)) null else read(row)

    override fun iterator(): Iterator<T?> = indices.asSequence().map(::getOrNull).iterator()

    /** The value of a row that is not null. */
    protected abstract fun read(row: Int): T

    /** The row for core, if it is not null. */
    protected fun present(row: Int): Long {
        val at = row.toLong()
        if (column.isNull(at)) throw isNullAt(row)
        return at
    }

    private fun isNullAt(row: Int) =
        NoSuchElementException("column \"${column.name()}\" is null in row $row; ask isNull, or use getOrNull")

    /** The column's name and type, and the number of rows. */
    override fun toString(): String = "${column.field()}, $size rows"
}

/** Integers, dates, times, timestamps and durations as the numbers that they are stored as; unsigned 64-bit ones as bits. */
public class LongView internal constructor(column: Column) : ColumnView<Long>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): Long = column.getLong(present(row))

    /** All values; [ifNull] for the nulls. */
    public fun toArray(ifNull: Long = 0): LongArray = LongArray(size) { if (isNull(it)) ifNull else column.getLong(it.toLong()) }

    override fun read(row: Int): Long = column.getLong(row.toLong())
}

/** Unsigned integers. */
public class ULongView internal constructor(column: Column) : ColumnView<ULong>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): ULong = column.getLong(present(row)).toULong()

    /** All values; [ifNull] for the nulls. */
    @ExperimentalUnsignedTypes
    public fun toArray(ifNull: ULong = 0uL): ULongArray =
        ULongArray(size) { if (isNull(it)) ifNull else column.getLong(it.toLong()).toULong() }

    override fun read(row: Int): ULong = column.getLong(row.toLong()).toULong()
}

/** Integers of at most 32 bits, and wider ones that fit; [ArithmeticException] for one that does not. */
public class IntView internal constructor(column: Column) : ColumnView<Int>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): Int = column.getInt(present(row))

    /** All values; [ifNull] for the nulls. */
    public fun toArray(ifNull: Int = 0): IntArray = IntArray(size) { if (isNull(it)) ifNull else column.getInt(it.toLong()) }

    override fun read(row: Int): Int = column.getInt(row.toLong())
}

/** Numbers of any type, as the nearest `Double`. */
public class DoubleView internal constructor(column: Column) : ColumnView<Double>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): Double = column.getDouble(present(row))

    /** All values; [ifNull] for the nulls. */
    public fun toArray(ifNull: Double = Double.NaN): DoubleArray =
        DoubleArray(size) { if (isNull(it)) ifNull else column.getDouble(it.toLong()) }

    override fun read(row: Int): Double = column.getDouble(row.toLong())
}

/** Booleans. */
public class BooleanView internal constructor(column: Column) : ColumnView<Boolean>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): Boolean = column.getBoolean(present(row))

    /** All values; [ifNull] for the nulls. */
    public fun toArray(ifNull: Boolean = false): BooleanArray =
        BooleanArray(size) { if (isNull(it)) ifNull else column.getBoolean(it.toLong()) }

    override fun read(row: Int): Boolean = column.getBoolean(row.toLong())
}

/** Values that are objects, made anew by each reading: text, bytes, decimals, dates and times, lists. */
public class ObjectView<out T : Any> internal constructor(column: Column, private val reader: (Column, Long) -> T) :
    ColumnView<T>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): T = reader(column, present(row))

    override fun read(row: Int): T = reader(column, row.toLong())
}
