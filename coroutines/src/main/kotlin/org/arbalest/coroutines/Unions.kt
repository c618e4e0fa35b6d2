// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import kotlin.contracts.ExperimentalContracts
import kotlin.contracts.InvocationKind.EXACTLY_ONCE
import kotlin.contracts.contract
import kotlin.reflect.KClass

/**
 * Adds a dense union: a column of values of several types. Each type has a column that stores only its own values:
 *
 *     denseUnion("answer", { row -> answers[row] }) {
 *         on<Long> { numbers -> int64("number") { numbers[it] } }
 *         on<String> { texts -> utf8("text") { texts[it] } }
 *     }
 *
 * A null goes to the first type.
 *
 * @param values the value of a row, or null for a null
 * @throws IllegalArgumentException if a value has none of the types; the message names the column, the row and the
 *     value
 */
@OptIn(ExperimentalContracts::class)
public inline fun <E : Any> ColumnScope.denseUnion(
    name: String = "",
    values: (row: Int) -> E?,
    types: UnionScope<E>.() -> Unit,
) {
    contract { callsInPlace(types, EXACTLY_ONCE) }
    val union = UnionScope(unionColumn(name, UnionMode.DENSE), List(rows, values), isDense = true)
    union.types()
    union.finish()
}

/**
 * Adds a sparse union: a column of values of several types. Each type has a column of all rows, with nulls in the rows
 * of the other types; see [denseUnion].
 */
@OptIn(ExperimentalContracts::class)
public inline fun <E : Any> ColumnScope.sparseUnion(
    name: String = "",
    values: (row: Int) -> E?,
    types: UnionScope<E>.() -> Unit,
) {
    contract { callsInPlace(types, EXACTLY_ONCE) }
    val union = UnionScope(unionColumn(name, UnionMode.SPARSE), List(rows, values), isDense = false)
    union.types()
    union.finish()
}

/**
 * The receiver that adds the types of a union, the most specific type first: a value goes to the first type that it
 * has.
 */
@BatchDsl
public class UnionScope<E : Any> @PublishedApi internal constructor(
    private val union: ColumnBuilder,
    private val values: List<E?>,
    private val isDense: Boolean,
) {
    /** The child index of each row. */
    private val children = IntArray(values.size) { NONE }

    private var count = 0

    /** The number of types that have a column. */
    private var added = 0

    /** Adds a type: the values that are a [T] are in the one column that [column] adds, which needs a name. */
    public inline fun <reified T : E> on(column: ColumnScope.(List<T?>) -> Unit) {
        @Suppress("UNCHECKED_CAST") // take selects only these
        val own = take { it is T } as List<T?>
        scope(own.size).column(own)
        checkAdded(T::class)
    }

    /** Returns the values of the next child; in a sparse union, one for each row. */
    @PublishedApi
    internal fun take(isOwn: (E) -> Boolean): List<E?> {
        val own = values.indices.filter { row -> children[row] == NONE && (values[row]?.let(isOwn) ?: (count == 0)) }
        for (row in own) children[row] = count
        val child = count++
        return if (isDense) own.map(values::get)
        else values.mapIndexed { row, value -> value.takeIf { children[row] == child } }
    }

    @PublishedApi
    internal fun scope(size: Int): ColumnScope =
        ColumnScope.ofOne(size, "a type of a union already has its column; put several columns into a struct", "") {
            require(it.name().isNotEmpty()) {
                "a column of a union needs a name; only the elements of a list do without"
            }
            union.addChild(it).also { added++ }
        }

    @PublishedApi
    internal fun checkAdded(type: KClass<*>) {
        check(added == count) { "a type of a union needs a column, but none was added for ${type.simpleName}" }
    }

    @PublishedApi
    internal fun finish() {
        for (row in values.indices) {
            require(children[row] != NONE) {
                "${union.field()}, row $row: ${values[row]} has none of the union's types"
            }
            union.appendUnion(children[row])
        }
    }

    private companion object {
        const val NONE = -1
    }
}

@PublishedApi
internal fun ColumnScope.unionColumn(name: String, mode: UnionMode): ColumnBuilder =
    column(Field.of(name, UnionType(mode, listOf(), listOf())))
