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
 * Values of several types, each of which has a column of its own values only:
 *
 *     denseUnion("answer", { row -> answers[row] }) {
 *         on<Long> { numbers -> int64("number") { numbers[it] } }
 *         on<String> { texts -> utf8("text") { texts[it] } }
 *     }
 *
 * A null goes to the first of them.
 *
 * @param values the value of a row, or null for a null
 * @throws IllegalArgumentException if a value is of none of the types; says the column, the row and the value
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
 * Values of several types, each of which has a column of all rows, null where they are of another; see [denseUnion].
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

/** Where the types of a union are said, the most particular one first: a value goes to the first that it is of. */
@BatchDsl
public class UnionScope<E : Any> @PublishedApi internal constructor(
    private val union: ColumnBuilder,
    private val values: List<E?>,
    private val isDense: Boolean,
) {
    /** Of each row. */
    private val children = IntArray(values.size) { NONE }

    private var count = 0

    /** How many of them have their column. */
    private var added = 0

    /** The values that are a [T] are in the one column that [column] adds, with a name of its own. */
    public inline fun <reified T : E> on(column: ColumnScope.(List<T?>) -> Unit) {
        @Suppress("UNCHECKED_CAST") // take says what they are
        val own = take { it is T } as List<T?>
        scope(own.size).column(own)
        checkAdded(T::class)
    }

    /** The values of the next child; of a sparse union for all rows. */
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
        ColumnScope.ofOne(size, "a type of a union has one column, and has it; for more, put them into a struct", "") {
            require(it.name().isNotEmpty()) {
                "a column of a union needs a name; only the elements of a list do without"
            }
            union.addChild(it).also { added++ }
        }

    @PublishedApi
    internal fun checkAdded(type: KClass<*>) {
        check(added == count) { "a type of a union has one column, and none was added for ${type.simpleName}" }
    }

    @PublishedApi
    internal fun finish() {
        for (row in values.indices) {
            require(children[row] != NONE) {
                "${union.field()}, row $row: ${values[row]} is of none of the union's types"
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
