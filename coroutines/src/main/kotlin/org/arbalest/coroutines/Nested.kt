// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.StructType
import java.util.function.IntPredicate
import kotlin.contracts.ExperimentalContracts
import kotlin.contracts.InvocationKind.EXACTLY_ONCE
import kotlin.contracts.contract
import kotlin.reflect.KClass

/**
 * Adds a column of structs. [fields] adds the columns that are their fields.
 *
 * The fields of a null struct have values, as in any other row: their lambdas run for it too, and may return null.
 *
 * @param isNull returns whether a struct is null, by its position in this scope: the row of a batch, the element of a
 *     list, as in `struct(isNull = { files[it] == null }) { … }`. If the parameter itself is null, no struct is null
 */
@OptIn(ExperimentalContracts::class)
public inline fun ColumnScope.struct(name: String = "", isNull: IntPredicate? = null, fields: ColumnScope.() -> Unit) {
    contract { callsInPlace(fields, EXACTLY_ONCE) }
    val struct = column(Field.of(name, StructType(listOf())))
    repeat(rows) { struct.appendStruct() }
    if (isNull != null) struct.setNulls(isNull)
    ColumnScope.ofStruct(rows, struct).fields()
}

/**
 * Adds a column of lists of any type. [items] adds the one column of their elements. It receives the elements of all
 * rows, one row after the other, and its lambdas receive positions in that list. Elements may be null; [E] is then a
 * nullable type. A null list has no elements.
 *
 *     list("fills", { row -> orders[row].fills }) { fills ->
 *         struct {
 *             int64("quantity") { fills[it].quantity }
 *             list("parties", { fills[it].parties }) { parties -> utf8 { parties[it] } }
 *         }
 *     }
 *
 * For lists of text, booleans or numbers, the form with one lambda is shorter: `list("tags") { row -> tags[row] }`.
 *
 * @param lists the list of a row, or null for a null
 * @param items adds one column. Adding a second one throws [IllegalStateException] at once. If the column does not have
 *     one value for each element, the end of the batch throws [IllegalStateException]
 */
@OptIn(ExperimentalContracts::class)
public inline fun <E> ColumnScope.list(
    name: String = "",
    lists: (row: Int) -> Collection<E>?,
    items: ColumnScope.(List<E>) -> Unit,
) {
    contract { callsInPlace(items, EXACTLY_ONCE) }
    fillItems(column(Field.of(name, DataType.list(UNNAMED))), lists, items)
}

/**
 * Adds a column of lists of the given sizes. [items] adds the one column of their elements. With an array in it, this
 * is the fastest way.
 *
 *     listOfSizes("samples", sizes) { float64(values = samples) }
 *
 * @param sizes the number of elements of each row
 * @param isNull returns whether a list is null, regardless of its size; if this is null, no list is
 */
@OptIn(ExperimentalContracts::class)
public inline fun ColumnScope.listOfSizes(
    name: String = "",
    sizes: IntArray,
    isNull: IntPredicate? = null,
    items: ColumnScope.() -> Unit,
) {
    contract { callsInPlace(items, EXACTLY_ONCE) }
    val column = column(Field.of(name, DataType.list(UNNAMED)))
    column.appendLists(sizes)
    if (isNull != null) column.setNulls(isNull)
    ColumnScope.ofList(sizes.sum(), column).items()
}

/** Adds a column of lists of 32-bit integers; each row is one copy. */
public inline fun ColumnScope.int32List(name: String = "", values: (row: Int) -> IntArray?) {
    fillLists(column(Field.of(name, DataType.list(UNNAMED))), INT32_ITEM, values, { it.size }) { appendAll(it) }
}

/** Adds a column of lists of 64-bit integers; each row is one copy. */
public inline fun ColumnScope.int64List(name: String = "", values: (row: Int) -> LongArray?) {
    fillLists(column(Field.of(name, DataType.list(UNNAMED))), INT64_ITEM, values, { it.size }) { appendAll(it) }
}

/** Adds a column of lists of 32-bit floats; each row is one copy. */
public inline fun ColumnScope.float32List(name: String = "", values: (row: Int) -> FloatArray?) {
    fillLists(column(Field.of(name, DataType.list(UNNAMED))), FLOAT32_ITEM, values, { it.size }) { appendAll(it) }
}

/** Adds a column of lists of 64-bit floats; each row is one copy. */
public inline fun ColumnScope.float64List(name: String = "", values: (row: Int) -> DoubleArray?) {
    fillLists(column(Field.of(name, DataType.list(UNNAMED))), FLOAT64_ITEM, values, { it.size }) { appendAll(it) }
}

/**
 * Adds a column of lists of text, booleans or numbers, whose elements may be null:
 *
 *     list("tags") { row -> tags[row] }
 *
 * This form has one lambda, which returns the list of a row. The element class [E] of that list determines the Arrow
 * type of the elements. The form with two lambdas, `list(name, lists) { items -> … }`, takes elements of any class, and
 * its second lambda adds their column.
 *
 * @param values the list of a row, or null for a null. It corresponds to `lists` of the other form
 * @throws IllegalArgumentException if [E] is not String, Boolean, Byte, Short, Int, Long, Float or Double: thrown by
 *     this call, before [values] runs
 */
public inline fun <reified E : Any> ColumnScope.list(name: String = "", values: (row: Int) -> Collection<E?>?) {
    fillLists(column(Field.of(name, DataType.list(UNNAMED))), itemOf(E::class), values, { it.size }) { appendItems(it) }
}

@PublishedApi
internal fun itemOf(type: KClass<*>): Field = Field.of(
    ColumnScope.ITEM,
    when (type) {
        String::class -> DataType.UTF8
        Boolean::class -> DataType.BOOL
        Byte::class -> DataType.INT8
        Short::class -> DataType.INT16
        Int::class -> DataType.INT32
        Long::class -> DataType.INT64
        Float::class -> DataType.FLOAT32
        Double::class -> DataType.FLOAT64
        else -> throw IllegalArgumentException(
            "the Arrow type for a list of ${type.simpleName} is not known: use list(name, lists) { … }",
        )
    },
)

@PublishedApi
internal fun ColumnBuilder.appendItems(items: Collection<Any?>) {
    for (item in items) {
        when (item) {
            null -> appendNull()
            is String -> append(item)
            is Boolean -> append(item)
            is Float, is Double -> append((item as Number).toDouble())
            else -> append((item as Number).toLong())
        }
    }
}

@PublishedApi
internal val INT32_ITEM: Field = Field.of(ColumnScope.ITEM, DataType.INT32)

@PublishedApi
internal val INT64_ITEM: Field = Field.of(ColumnScope.ITEM, DataType.INT64)

@PublishedApi
internal val FLOAT32_ITEM: Field = Field.of(ColumnScope.ITEM, DataType.FLOAT32)

@PublishedApi
internal val FLOAT64_ITEM: Field = Field.of(ColumnScope.ITEM, DataType.FLOAT64)

@PublishedApi
internal inline fun <L : Any> ColumnScope.fillLists(
    column: ColumnBuilder,
    item: Field,
    value: (Int) -> L?,
    size: (L) -> Int,
    append: ColumnBuilder.(L) -> Unit,
) {
    val items = column.items(item)
    fill(column, value) {
        appendList(size(it))
        items.append(it)
    }
}
