// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.columns.Column
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Extension.Bool8
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.BinaryType
import org.arbalest.device.types.FlatType.BinaryViewType
import org.arbalest.device.types.FlatType.BoolType
import org.arbalest.device.types.FlatType.DateType
import org.arbalest.device.types.FlatType.DateUnit
import org.arbalest.device.types.FlatType.DecimalType
import org.arbalest.device.types.FlatType.DurationType
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.FlatType.FloatType
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.FlatType.IntervalType
import org.arbalest.device.types.FlatType.IntervalUnit
import org.arbalest.device.types.FlatType.LargeBinaryType
import org.arbalest.device.types.FlatType.LargeUtf8Type
import org.arbalest.device.types.FlatType.NullType
import org.arbalest.device.types.FlatType.TimeType
import org.arbalest.device.types.FlatType.TimestampType
import org.arbalest.device.types.FlatType.Utf8Type
import org.arbalest.device.types.FlatType.Utf8ViewType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionType
import java.math.BigDecimal

/**
 * Returns a view of 64-bit integers, dates, times, timestamps and durations, as their stored numbers. It reads at
 * memory speed; [integers] reads any width.
 *
 * It does not read uint64, which [ulongs] reads, or decimals, which [decimals] reads. Core's `asLongs()` reads their
 * stored numbers.
 *
 * @throws IllegalArgumentException if the column is stored in another layout; the message names the view that reads it
 */
public fun Column.longs(): LongView = LongView(by("longs()").asLongs(), this)

/**
 * Returns a view of 32-bit integers, dates, times and months, as their stored numbers, at memory speed; otherwise like
 * [longs]. It also reads the 32-bit [indices][Column.indices] of a dictionary. For narrower integers and indices, use
 * core's `asBytes()` and `asShorts()`.
 */
public fun Column.ints(): IntView = IntView(by("ints()").asInts(), this)

/** Returns a view of 64-bit floating-point numbers, at memory speed; [numbers] reads any. Otherwise like [longs]. */
public fun Column.doubles(): DoubleView = DoubleView(by("doubles()").asDoubles(), this)

/** Returns a view of 32-bit floating-point numbers, at memory speed; otherwise like [doubles]. */
public fun Column.floats(): FloatView = FloatView(by("floats()").asFloats(), this)

/** Returns a view of booleans of one bit each; [flags] reads any. Otherwise like [longs]. */
public fun Column.booleans(): BooleanView = BooleanView(by("booleans()").asBooleans(), this)

/** Returns a view of booleans in any storage: of one bit, of 8 bits (`arrow.bool8`), in a dictionary, in run-ends. */
public fun Column.flags(): FlagView = FlagView(this)

/**
 * Returns a view of integers of any width, dates, times, timestamps and durations, as their stored numbers. For uint64
 * it returns the bits; [ulongs] returns the numbers.
 */
public fun Column.integers(): IntegerView = IntegerView(this)

/**
 * Returns a view of unsigned integers of any width.
 *
 * @throws IllegalArgumentException if the column has another type
 */
public fun Column.ulongs(): ULongView {
    require(!typed<IntType>("unsigned integers").signed()) { "column $this cannot be read as unsigned integers" }
    return ULongView(this)
}

/** Returns a view of numbers of any type, each as the nearest `Double`. */
public fun Column.numbers(): NumberView = NumberView(this)

/**
 * Returns a view of text and binary values as bytes, without a copy. It reads offsets, views and fixed sizes; otherwise
 * like [longs].
 */
public fun Column.byteStrings(): ByteStringView = ByteStringView(by("byteStrings()").asByteStrings(), this)

/**
 * Returns a view of text in any storage or encoding, which creates a string for each value that is read. For text in a
 * dictionary, [Column.indices] and [Column.dictionary] avoid this; [ColumnView] shows how.
 */
public fun Column.strings(): ObjectView<String> = ObjectView(this, Column::getString)

/** Returns a view that copies the bytes of binary values or text. */
public fun Column.bytes(): ObjectView<ByteArray> = ObjectView(this, Column::getBytes)

/** Returns a view of decimals, and of integers as decimals, exactly. */
public fun Column.decimals(): ObjectView<BigDecimal> = ObjectView(this, Column::getDecimal)

/**
 * Returns a view of the elements of each list as a column: `batch["tags"].lists()[row].strings()`. For a map, the
 * elements are its entries: structs of the key and the value.
 */
public fun Column.lists(): ObjectView<Column> = ObjectView(this, Column::getList)

/** Returns this column, if [view] is the view for its values. */
private fun Column.by(view: String): Column {
    val own = viewOf(field())
    require(own == view) {
        "column ${field()}, length ${length()} cannot be read by $view: ${own?.let(::thatHas) ?: "only its getters do"}"
    }
    return this
}

private fun Column.thatHas(view: String): String =
    if (view == "byteStrings()" && isText(field().type())) "strings() has its values, and $view has them as bytes"
    else "$view has its values"

private fun isText(type: DataType): Boolean = type is Utf8Type || type is LargeUtf8Type || type is Utf8ViewType

/** Returns the fastest view that reads a field's values as their own type; for encoded values, any such view. */
private fun viewOf(field: Field): String? {
    val values = valuesOf(field)
    val type = values.type()
    val isEncoded = type != field.type()
    return when (type) {
        is BoolType -> if (isEncoded) "flags()" else "booleans()"
        is IntType if values.extension() is Bool8 -> "flags()"
        is IntType -> if (!type.signed()) "ulongs()" else if (isEncoded) "integers()" else signed(type.bits())
        is DateType -> if (isEncoded) "dates()" else signed(if (type.unit() == DateUnit.DAY) 32 else 64)
        is TimeType -> if (isEncoded) "times()" else signed(if (type.unit() <= ArrowTimeUnit.MILLISECOND) 32 else 64)
        is TimestampType, is DurationType -> if (isEncoded) "integers()" else "longs()"
        is IntervalType -> if (isEncoded || type.unit() != IntervalUnit.YEAR_MONTH) "intervals()" else "ints()"
        is FloatType -> if (isEncoded || type.bits() == 16) "numbers()" else if (type.bits() == 64) "doubles()"
        else "floats()"
        is DecimalType -> "decimals()"
        is Utf8Type, is LargeUtf8Type, is Utf8ViewType -> if (isEncoded) "strings()" else "byteStrings()"
        is BinaryType, is LargeBinaryType, is BinaryViewType, is FixedSizeBinaryType -> if (isEncoded) "bytes()"
        else "byteStrings()"
        is MapType -> "maps()"
        is StructType -> "structs()"
        is UnionType -> "unions()"
        is NullType -> null
        else -> "lists()"
    }
}

/** Rejects a column that stores no booleans, even if it has no values (READ-02). */
internal fun Column.requireFlags() {
    val values = valuesOf(field())
    require(values.type() is BoolType || values.type() is UnionType || values.extension() is Bool8) {
        "$this cannot be read as booleans by flags()"
    }
}

/** Returns the field of the values, for any encoding. */
private tailrec fun valuesOf(field: Field): Field = when (val type = field.type()) {
    is DictionaryType -> valuesOf(type.values())
    is RunEndEncodedType -> valuesOf(type.values())
    else -> field
}

private fun signed(bits: Int): String = if (bits == 64) "longs()" else if (bits == 32) "ints()" else "integers()"

private inline fun <reified T : DataType> Column.typed(what: String): T =
    field().valueType() as? T ?: throw IllegalArgumentException("column $this cannot be read as $what")
