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

/** Lists with 64-bit offsets; see [list]. */
@OptIn(ExperimentalContracts::class)
public inline fun <E> ColumnScope.largeList(
    name: String = "",
    lists: (row: Int) -> Collection<E>?,
    items: ColumnScope.(List<E>) -> Unit,
) {
    contract { callsInPlace(items, EXACTLY_ONCE) }
    fillItems(column(Field.of(name, DataType.largeList(UNNAMED))), lists, items)
}

/** Lists as views, with an offset and a size each; see [list]. */
@OptIn(ExperimentalContracts::class)
public inline fun <E> ColumnScope.listView(
    name: String = "",
    lists: (row: Int) -> Collection<E>?,
    items: ColumnScope.(List<E>) -> Unit,
) {
    contract { callsInPlace(items, EXACTLY_ONCE) }
    fillItems(column(Field.of(name, DataType.listView(UNNAMED))), lists, items)
}

/** Lists as views, with a 64-bit offset and size each; see [list]. */
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
 * Lists of [size] elements each, which are the one column that [items] adds. Null lists have elements, too: it is given
 * nulls for them, in place of which a [notNull][ColumnScope.notNull] column needs some value.
 *
 *     fixedSizeList("corners", 4, { row -> shapes[row].corners }) { corners ->
 *         struct {
 *             float64("x") { corners[it]?.x }
 *             float64("y") { corners[it]?.y }
 *         }
 *     }
 *
 * @param lists the list of a row, or null for a null
 * @throws IllegalArgumentException if a list has another size; says the column, the row and both numbers
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
 * Lists of [size] elements each, which are the one column that [items] adds: with an array in it, the fastest way.
 *
 *     fixedSizeListOf("embedding", 768) { float32(values = embeddings) }
 *
 * @param isNull which lists are null; they have elements, too
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

/** The elements of a list that are still to be named: null is the type of none. */
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
