package org.arbalest.coroutines

import org.arbalest.device.Column
import org.arbalest.device.DataType
import org.arbalest.device.FlatType.IntType
import java.math.BigDecimal

/**
 * 64-bit integers, dates, times, timestamps and durations, as the numbers that they are stored as, at the speed of memory; [integers]
 * reads any width.
 *
 * @throws IllegalArgumentException if they are stored otherwise; says which view has them
 */
public fun Column.longs(): LongView = LongView(asLongs(), this)

/** 32-bit integers, dates and times, as the numbers that they are stored as, at the speed of memory; otherwise like [longs]. */
public fun Column.ints(): IntView = IntView(asInts(), this)

/** 64-bit floating-point numbers, at the speed of memory; [numbers] reads any. Otherwise like [longs]. */
public fun Column.doubles(): DoubleView = DoubleView(asDoubles(), this)

/** 32-bit floating-point numbers, at the speed of memory; otherwise like [doubles]. */
public fun Column.floats(): FloatView = FloatView(asFloats(), this)

/** Booleans; otherwise like [longs]. */
public fun Column.booleans(): BooleanView = BooleanView(asBooleans(), this)

/** Integers of any width, dates, times, timestamps and durations, as the numbers that they are stored as. */
public fun Column.integers(): IntegerView = IntegerView(this)

/** Unsigned integers of any width; [IllegalArgumentException] for a column of another type. */
public fun Column.ulongs(): ULongView {
    require(!typed<IntType>("unsigned integers").signed()) { "column $this cannot be read as unsigned integers" }
    return ULongView(this)
}

/** Numbers of any type, as the nearest `Double`. */
public fun Column.numbers(): NumberView = NumberView(this)

/** Text and binary as bytes that are not copied; otherwise like [longs]. */
public fun Column.byteStrings(): ByteStringView = ByteStringView(asByteStrings(), this)

/** Text, however it is stored or encoded. */
public fun Column.strings(): ObjectView<String> = ObjectView(this, Column::getString)

/** Copies of the bytes of binary or text. */
public fun Column.bytes(): ObjectView<ByteArray> = ObjectView(this, Column::getBytes)

/** Decimals, and integers as such, exactly. */
public fun Column.decimals(): ObjectView<BigDecimal> = ObjectView(this, Column::getDecimal)

/** The elements of each list as a column: `batch["tags"].lists()[row].strings()`; of a map its entries, a struct of the key and the value. */
public fun Column.lists(): ObjectView<Column> = ObjectView(this, Column::getList)

private inline fun <reified T : DataType> Column.typed(what: String): T =
    field().valueType() as? T ?: throw IllegalArgumentException("column $this cannot be read as $what")
