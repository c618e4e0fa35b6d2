// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.columns.Column
import org.arbalest.device.columns.Selection
import java.util.function.DoublePredicate
import java.util.function.IntPredicate
import java.util.function.LongPredicate
import org.arbalest.device.columns.BooleanView as JavaBooleanView
import org.arbalest.device.columns.ByteStringView as JavaByteStringView
import org.arbalest.device.columns.DoubleView as JavaDoubleView
import org.arbalest.device.columns.FloatView as JavaFloatView
import org.arbalest.device.columns.IntView as JavaIntView
import org.arbalest.device.columns.LongView as JavaLongView

/** A view of 64-bit integers, dates, times, timestamps and durations, as their stored numbers. */
public class LongView internal constructor(
    private val values: JavaLongView,
    column: Column,
) : ColumnView<Long>(column) {
    /** Returns the value of a row that is not null. */
    public operator fun get(row: Int): Long = values.get(row.toLong())

    override fun isNull(row: Int): Boolean = values.isNull(row.toLong())

    /** Returns the value of a row, or [ifNull] if the row is null. */
    public fun getOrDefault(row: Int, ifNull: Long): Long = values.getOrDefault(row.toLong(), ifNull)

    /** Calls [action] with each row that is not null and its value, in order; boxes nothing. */
    public inline fun forEachValid(action: (row: Int, value: Long) -> Unit) {
        for (row in 0 until size) if (!isNull(row)) action(row, get(row))
    }

    /**
     * Returns all values, with [ifNull] in place of nulls.
     *
     * @throws NoSuchElementException if a row is null and [ifNull] is null; the message names the first such row
     */
    public fun toArray(ifNull: Long? = null): LongArray = if (ifNull == null) values.toArray()
    else values.toArray(ifNull)

    /**
     * Returns the sum of the values that are not null; 0 if no row has a value.
     *
     * @throws ArithmeticException if the sum, or the sum of the first rows, does not fit 64 bits
     */
    public fun sum(): Long {
        var sum = 0L
        forEachValid { _, value -> sum = Math.addExact(sum, value) }
        return sum
    }

    /** Selects the rows that are not null and whose value fulfils a condition; boxes nothing. */
    public fun where(condition: LongPredicate): Selection = Selection.where(values, condition)

    override fun read(row: Int): Long = get(row)
}

/** A view of 32-bit integers, dates, times and months, as their stored numbers. */
public class IntView internal constructor(private val values: JavaIntView, column: Column) : ColumnView<Int>(column) {
    /** Returns the value of a row that is not null. */
    public operator fun get(row: Int): Int = values.get(row.toLong())

    override fun isNull(row: Int): Boolean = values.isNull(row.toLong())

    /** Returns the value of a row, or [ifNull] if the row is null. */
    public fun getOrDefault(row: Int, ifNull: Int): Int = values.getOrDefault(row.toLong(), ifNull)

    /** Calls [action] with each row that is not null and its value, in order; boxes nothing. */
    public inline fun forEachValid(action: (row: Int, value: Int) -> Unit) {
        for (row in 0 until size) if (!isNull(row)) action(row, get(row))
    }

    /**
     * Returns all values, with [ifNull] in place of nulls.
     *
     * @throws NoSuchElementException if a row is null and [ifNull] is null; the message names the first such row
     */
    public fun toArray(ifNull: Int? = null): IntArray = if (ifNull == null) values.toArray() else values.toArray(ifNull)

    /** Returns the sum of the values that are not null; 0 if no row has a value. */
    public fun sum(): Long {
        var sum = 0L
        forEachValid { _, value -> sum += value }
        return sum
    }

    /** Selects the rows that are not null and whose value fulfils a condition; boxes nothing. */
    public fun where(condition: IntPredicate): Selection = Selection.where(values, condition)

    override fun read(row: Int): Int = get(row)
}

/** A view of 64-bit floating-point numbers. */
public class DoubleView internal constructor(
    private val values: JavaDoubleView,
    column: Column,
) : ColumnView<Double>(column) {
    /** Returns the value of a row that is not null. */
    public operator fun get(row: Int): Double = values.get(row.toLong())

    override fun isNull(row: Int): Boolean = values.isNull(row.toLong())

    /** Returns the value of a row, or [ifNull] if the row is null. */
    public fun getOrDefault(row: Int, ifNull: Double): Double = values.getOrDefault(row.toLong(), ifNull)

    /** Calls [action] with each row that is not null and its value, in order; boxes nothing. */
    public inline fun forEachValid(action: (row: Int, value: Double) -> Unit) {
        for (row in 0 until size) if (!isNull(row)) action(row, get(row))
    }

    /**
     * Returns all values, with [ifNull] in place of nulls.
     *
     * @throws NoSuchElementException if a row is null and [ifNull] is null; the message names the first such row
     */
    public fun toArray(ifNull: Double? = null): DoubleArray = if (ifNull == null) values.toArray()
    else values.toArray(ifNull)

    /** Returns the sum of the values that are not null, in the order of the rows; 0.0 if no row has a value. */
    public fun sum(): Double {
        var sum = 0.0
        forEachValid { _, value -> sum += value }
        return sum
    }

    /** Selects the rows that are not null and whose value fulfils a condition; boxes nothing. */
    public fun where(condition: DoublePredicate): Selection = Selection.where(values, condition)

    override fun read(row: Int): Double = get(row)
}

/** A view of 32-bit floating-point numbers. */
public class FloatView internal constructor(
    private val values: JavaFloatView,
    column: Column,
) : ColumnView<Float>(column) {
    /** Returns the value of a row that is not null. */
    public operator fun get(row: Int): Float = values.get(row.toLong())

    override fun isNull(row: Int): Boolean = values.isNull(row.toLong())

    /** Returns the value of a row, or [ifNull] if the row is null. */
    public fun getOrDefault(row: Int, ifNull: Float): Float = values.getOrDefault(row.toLong(), ifNull)

    /** Calls [action] with each row that is not null and its value, in order; boxes nothing. */
    public inline fun forEachValid(action: (row: Int, value: Float) -> Unit) {
        for (row in 0 until size) if (!isNull(row)) action(row, get(row))
    }

    /**
     * Returns all values, with [ifNull] in place of nulls.
     *
     * @throws NoSuchElementException if a row is null and [ifNull] is null; the message names the first such row
     */
    public fun toArray(ifNull: Float? = null): FloatArray = if (ifNull == null) values.toArray()
    else values.toArray(ifNull)

    /** Returns the sum of the values that are not null, in the order of the rows; 0.0 if no row has a value. */
    public fun sum(): Double {
        var sum = 0.0
        forEachValid { _, value -> sum += value }
        return sum
    }

    /** Selects the rows that are not null and whose value, as a `Double`, fulfils a condition; boxes nothing. */
    public fun where(condition: DoublePredicate): Selection = Selection.where(values, condition)

    override fun read(row: Int): Float = get(row)
}

/** A view of booleans. */
public class BooleanView internal constructor(
    private val values: JavaBooleanView,
    column: Column,
) : ColumnView<Boolean>(column) {
    /** Returns the value of a row that is not null. */
    public operator fun get(row: Int): Boolean = values.get(row.toLong())

    override fun isNull(row: Int): Boolean = values.isNull(row.toLong())

    /** Returns the value of a row, or [ifNull] if the row is null. */
    public fun getOrDefault(row: Int, ifNull: Boolean): Boolean = values.getOrDefault(row.toLong(), ifNull)

    /** Calls [action] with each row that is not null and its value, in order; boxes nothing. */
    public inline fun forEachValid(action: (row: Int, value: Boolean) -> Unit) {
        for (row in 0 until size) if (!isNull(row)) action(row, get(row))
    }

    /** The number of rows that are true; nulls do not count. */
    public val cardinality: Int get() = values.cardinality().toInt()

    /**
     * Returns all values, with [ifNull] in place of nulls.
     *
     * @throws NoSuchElementException if a row is null and [ifNull] is null; the message names the first such row
     */
    public fun toArray(ifNull: Boolean? = null): BooleanArray = if (ifNull == null) values.toArray()
    else values.toArray(ifNull)

    override fun read(row: Int): Boolean = get(row)
}

/**
 * A view of text, as its stored UTF-8 bytes, and of binary values. It counts, compares and hashes the bytes without a
 * copy; see core's [JavaByteStringView].
 */
public class ByteStringView internal constructor(
    private val values: JavaByteStringView,
    column: Column,
) : ColumnView<ByteArray>(column) {
    /** Returns a copy of the bytes of a row that is not null. */
    public operator fun get(row: Int): ByteArray = values.getBytes(row.toLong())

    override fun isNull(row: Int): Boolean = values.isNull(row.toLong())

    /** Returns the number of bytes of a value. */
    public fun byteLength(row: Int): Long = values.byteLength(row.toLong())

    /** Returns whether a value equals these bytes. */
    public fun contentEquals(row: Int, bytes: ByteArray): Boolean = values.contentEquals(row.toLong(), bytes)

    /** Returns whether a value starts with these bytes. */
    public fun startsWith(row: Int, prefix: ByteArray): Boolean = values.startsWith(row.toLong(), prefix)

    /** Compares a value with these bytes, as unsigned numbers. */
    public fun compare(row: Int, bytes: ByteArray): Int = values.compare(row.toLong(), bytes)

    /** Returns a hash of a value's bytes. It depends only on the bytes, not on their location. */
    public fun hash(row: Int): Int = values.hash(row.toLong())

    /** Calls [action] with each row that is not null, in order. */
    public inline fun forEachValid(action: (row: Int) -> Unit) {
        for (row in 0 until size) if (!isNull(row)) action(row)
    }

    override fun read(row: Int): ByteArray = get(row)
}
