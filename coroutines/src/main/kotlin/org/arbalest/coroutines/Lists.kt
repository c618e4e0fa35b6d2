// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import java.util.BitSet
import java.util.function.IntPredicate
import kotlin.contracts.ExperimentalContracts
import kotlin.contracts.InvocationKind.EXACTLY_ONCE
import kotlin.contracts.contract

/** Adds a column of lists with 64-bit offsets; see [list]. */
@OptIn(ExperimentalContracts::class)
public inline fun <E> ColumnScope.largeList(
    name: String = "",
    lists: (row: Int) -> Collection<E>?,
    items: ColumnScope.(List<E>) -> Unit,
) {
    contract { callsInPlace(items, EXACTLY_ONCE) }
    fillItems(column(Field.of(name, DataType.largeList(UNNAMED))), lists, items)
}

/** Adds a column of list views, each with an offset and a size; see [list]. */
@OptIn(ExperimentalContracts::class)
public inline fun <E> ColumnScope.listView(
    name: String = "",
    lists: (row: Int) -> Collection<E>?,
    items: ColumnScope.(List<E>) -> Unit,
) {
    contract { callsInPlace(items, EXACTLY_ONCE) }
    fillItems(column(Field.of(name, DataType.listView(UNNAMED))), lists, items)
}

/** Adds a column of list views, each with a 64-bit offset and size; see [list]. */
@OptIn(ExperimentalContracts::class)
public inline fun <E> ColumnScope.largeListView(
    name: String = "",
    lists: (row: Int) -> Collection<E>?,
    items: ColumnScope.(List<E>) -> Unit,
) {
    contract { callsInPlace(items, EXACTLY_ONCE) }
    fillItems(column(Field.of(name, DataType.largeListView(UNNAMED))), lists, items)
}

/**
 * Adds a column of lists of [size] elements each. [items] adds the one column of their elements.
 *
 * A null list has elements too: [items] receives nulls for them. A [notNull][ColumnScope.notNull] column needs other
 * values in their place.
 *
 *     fixedSizeList("corners", 4, { row -> shapes[row].corners }) { corners ->
 *         struct {
 *             float64("x") { corners[it]?.x }
 *             float64("y") { corners[it]?.y }
 *         }
 *     }
 *
 * @param lists the list of a row, or null for a null
 * @throws IllegalArgumentException if a list has another size; the message names the column, the row and both sizes
 */
@OptIn(ExperimentalContracts::class)
public inline fun <E> ColumnScope.fixedSizeList(
    name: String = "",
    size: Int,
    lists: (row: Int) -> Collection<E>?,
    items: ColumnScope.(List<E?>) -> Unit,
) {
    contract { callsInPlace(items, EXACTLY_ONCE) }
    val column = column(Field.of(name, DataType.fixedSizeList(UNNAMED, size)))
    val nulls = BitSet()
    val all = ArrayList<E?>()
    for (row in 0 until rows) {
        val list = lists(row)
        if (list == null) {
            nulls.set(row)
            repeat(size) { all += null }
        } else {
            all += list
        }
        column.appendList(list?.size ?: size)
    }
    if (!nulls.isEmpty) column.setNulls(nulls::get)
    ColumnScope.ofList(all.size, column).items(all)
}

/**
 * Adds a column of lists of [size] elements each. [items] adds the one column of their elements. With an array in it,
 * this is the fastest way.
 *
 *     fixedSizeListOf("embedding", 768) { float32(values = embeddings) }
 *
 * @param isNull returns whether a list is null; a null list has elements too
 */
@OptIn(ExperimentalContracts::class)
public inline fun ColumnScope.fixedSizeListOf(
    name: String = "",
    size: Int,
    isNull: IntPredicate? = null,
    items: ColumnScope.() -> Unit,
) {
    contract { callsInPlace(items, EXACTLY_ONCE) }
    val column = column(Field.of(name, DataType.fixedSizeList(UNNAMED, size)))
    repeat(rows) { column.appendList(size) }
    if (isNull != null) column.setNulls(isNull)
    ColumnScope.ofList(Math.multiplyExact(rows, size), column).items()
}

/** The field of a list's elements before it has a name; null is the type of an empty list. */
@PublishedApi
internal val UNNAMED: Field = Field.of(ColumnScope.ITEM, DataType.NULL)

@OptIn(ExperimentalContracts::class)
@PublishedApi
internal inline fun <E> ColumnScope.fillItems(
    column: ColumnBuilder,
    lists: (Int) -> Collection<E>?,
    items: ColumnScope.(List<E>) -> Unit,
) {
    contract { callsInPlace(items, EXACTLY_ONCE) }
    val all = ArrayList<E>(rows)
    fill(column, lists) {
        all += it
        appendList(it.size)
    }
    ColumnScope.ofList(all.size, column).items(all)
}
