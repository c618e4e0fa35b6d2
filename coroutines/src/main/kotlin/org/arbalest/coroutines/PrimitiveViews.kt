// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.columns.Column
import org.arbalest.device.columns.BooleanView as JavaBooleanView
import org.arbalest.device.columns.ByteStringView as JavaByteStringView
import org.arbalest.device.columns.DoubleView as JavaDoubleView
import org.arbalest.device.columns.FloatView as JavaFloatView
import org.arbalest.device.columns.IntView as JavaIntView
import org.arbalest.device.columns.LongView as JavaLongView

/** 64-bit integers, dates, times, timestamps and durations as the numbers that they are stored as. */
public class LongView internal constructor(
    private val values: JavaLongView,
    column: Column,
) : ColumnView<Long>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): Long = values.get(row.toLong())

    override fun isNull(row: Int): Boolean = values.isNull(row.toLong())

    /** The value, or another for a null. */
    public fun getOrDefault(row: Int, ifNull: Long): Long = values.getOrDefault(row.toLong(), ifNull)

    /** Runs with each row that is not null and its value, in order; boxes nothing. */
    public inline fun forEachValid(action: (row: Int, value: Long) -> Unit) {
        for (row in 0 until size) if (!isNull(row)) action(row, get(row))
    }

    /**
     * All values, [ifNull] for the nulls; [NoSuchElementException] if there are nulls and nothing is given for them,
     * with the first such row.
     */
    public fun toArray(ifNull: Long? = null): LongArray = if (ifNull == null) values.toArray()
    else values.toArray(ifNull)

    /**
     * The sum of the values that are not null; 0 without any. [ArithmeticException] if it, or the sum of the first
     * rows, is beyond 64 bits.
     */
    public fun sum(): Long {
        var sum = 0L
        forEachValid { _, value -> sum = Math.addExact(sum, value) }
        return sum
    }

    override fun read(row: Int): Long = get(row)
}

/** 32-bit integers, dates, times and months as the numbers that they are stored as. */
public class IntView internal constructor(private val values: JavaIntView, column: Column) : ColumnView<Int>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): Int = values.get(row.toLong())

    override fun isNull(row: Int): Boolean = values.isNull(row.toLong())

    /** The value, or another for a null. */
    public fun getOrDefault(row: Int, ifNull: Int): Int = values.getOrDefault(row.toLong(), ifNull)

    /** Runs with each row that is not null and its value, in order; boxes nothing. */
    public inline fun forEachValid(action: (row: Int, value: Int) -> Unit) {
        for (row in 0 until size) if (!isNull(row)) action(row, get(row))
    }

    /**
     * All values, [ifNull] for the nulls; [NoSuchElementException] if there are nulls and nothing is given for them,
     * with the first such row.
     */
    public fun toArray(ifNull: Int? = null): IntArray = if (ifNull == null) values.toArray() else values.toArray(ifNull)

    /** The sum of the values that are not null; 0 without any. */
    public fun sum(): Long {
        var sum = 0L
        forEachValid { _, value -> sum += value }
        return sum
    }

    override fun read(row: Int): Int = get(row)
}

/** 64-bit floating-point numbers. */
public class DoubleView internal constructor(
    private val values: JavaDoubleView,
    column: Column,
) : ColumnView<Double>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): Double = values.get(row.toLong())

    override fun isNull(row: Int): Boolean = values.isNull(row.toLong())

    /** The value, or another for a null. */
    public fun getOrDefault(row: Int, ifNull: Double): Double = values.getOrDefault(row.toLong(), ifNull)

    /** Runs with each row that is not null and its value, in order; boxes nothing. */
    public inline fun forEachValid(action: (row: Int, value: Double) -> Unit) {
        for (row in 0 until size) if (!isNull(row)) action(row, get(row))
    }

    /**
     * All values, [ifNull] for the nulls; [NoSuchElementException] if there are nulls and nothing is given for them,
     * with the first such row.
     */
    public fun toArray(ifNull: Double? = null): DoubleArray = if (ifNull == null) values.toArray()
    else values.toArray(ifNull)

    /** The sum of the values that are not null, in the order of the rows; 0.0 without any. */
    public fun sum(): Double {
        var sum = 0.0
        forEachValid { _, value -> sum += value }
        return sum
    }

    override fun read(row: Int): Double = get(row)
}

/** 32-bit floating-point numbers. */
public class FloatView internal constructor(
    private val values: JavaFloatView,
    column: Column,
) : ColumnView<Float>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): Float = values.get(row.toLong())

    override fun isNull(row: Int): Boolean = values.isNull(row.toLong())

    /** The value, or another for a null. */
    public fun getOrDefault(row: Int, ifNull: Float): Float = values.getOrDefault(row.toLong(), ifNull)

    /** Runs with each row that is not null and its value, in order; boxes nothing. */
    public inline fun forEachValid(action: (row: Int, value: Float) -> Unit) {
        for (row in 0 until size) if (!isNull(row)) action(row, get(row))
    }

    /**
     * All values, [ifNull] for the nulls; [NoSuchElementException] if there are nulls and nothing is given for them,
     * with the first such row.
     */
    public fun toArray(ifNull: Float? = null): FloatArray = if (ifNull == null) values.toArray()
    else values.toArray(ifNull)

    /** The sum of the values that are not null, in the order of the rows; 0.0 without any. */
    public fun sum(): Double {
        var sum = 0.0
        forEachValid { _, value -> sum += value }
        return sum
    }

    override fun read(row: Int): Float = get(row)
}

/** Booleans. */
public class BooleanView internal constructor(
    private val values: JavaBooleanView,
    column: Column,
) : ColumnView<Boolean>(column) {
    /** The value of a row that is not null. */
    public operator fun get(row: Int): Boolean = values.get(row.toLong())

    override fun isNull(row: Int): Boolean = values.isNull(row.toLong())

    /** The value, or another for a null. */
    public fun getOrDefault(row: Int, ifNull: Boolean): Boolean = values.getOrDefault(row.toLong(), ifNull)

    /** Runs with each row that is not null and its value, in order; boxes nothing. */
    public inline fun forEachValid(action: (row: Int, value: Boolean) -> Unit) {
        for (row in 0 until size) if (!isNull(row)) action(row, get(row))
    }

    /** The number of rows that are true; nulls are not. */
    public val cardinality: Int get() = values.cardinality().toInt()

    /**
     * All values, [ifNull] for the nulls; [NoSuchElementException] if there are nulls and nothing is given for them,
     * with the first such row.
     */
    public fun toArray(ifNull: Boolean? = null): BooleanArray = if (ifNull == null) values.toArray()
    else values.toArray(ifNull)

    override fun read(row: Int): Boolean = get(row)
}

/**
 * Text, as the UTF-8 that it is stored as, and binary: counted, compared and hashed where it is; see core's
 * [JavaByteStringView].
 */
public class ByteStringView internal constructor(
    private val values: JavaByteStringView,
    column: Column,
) : ColumnView<ByteArray>(column) {
    /** A copy of the bytes of a row that is not null. */
    public operator fun get(row: Int): ByteArray = values.getBytes(row.toLong())

    override fun isNull(row: Int): Boolean = values.isNull(row.toLong())

    /** The number of bytes of a value. */
    public fun byteLength(row: Int): Long = values.byteLength(row.toLong())

    /** Whether a value is these bytes. */
    public fun contentEquals(row: Int, bytes: ByteArray): Boolean = values.contentEquals(row.toLong(), bytes)

    /** Whether a value begins with these bytes. */
    public fun startsWith(row: Int, prefix: ByteArray): Boolean = values.startsWith(row.toLong(), prefix)

    /** Compares a value with these bytes, as unsigned numbers. */
    public fun compare(row: Int, bytes: ByteArray): Int = values.compare(row.toLong(), bytes)

    /** A hash of a value's bytes, the same wherever they are. */
    public fun hash(row: Int): Int = values.hash(row.toLong())

    /** Runs with each row that is not null, in order. */
    public inline fun forEachValid(action: (row: Int) -> Unit) {
        for (row in 0 until size) if (!isNull(row)) action(row)
    }

    override fun read(row: Int): ByteArray = get(row)
}
