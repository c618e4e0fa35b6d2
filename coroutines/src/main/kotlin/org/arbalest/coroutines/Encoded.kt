// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.NestedType.DictionaryType
import kotlin.contracts.ExperimentalContracts
import kotlin.contracts.InvocationKind.EXACTLY_ONCE
import kotlin.contracts.contract

/**
 * Adds a column of values of any type, stored as indices into the distinct values.
 *
 * Two values are the same if `equals` returns true; two arrays are the same if their contents are. [distinct] receives
 * the distinct values in the order of their first use, and adds the one column that stores them:
 *
 *     dictionary("venue", { row -> trades[row].venue }) { venues ->
 *         struct {
 *             utf8("code") { venues[it].code }
 *             utf8("city") { venues[it].city }
 *         }
 *     }
 *
 * @param values the value of a row, or null for a null
 * @param index the type of the indices
 * @param grows whether the indices become wider, instead of an error, when there are more values than they can count
 * @param ordered whether the order of the distinct values has a meaning
 * @throws IllegalArgumentException if there are more distinct values than the indices can count
 */
@OptIn(ExperimentalContracts::class)
public inline fun <E : Any> ColumnScope.dictionary(
    name: String = "",
    values: (row: Int) -> E?,
    index: IntType = DataType.INT32,
    grows: Boolean = false,
    ordered: Boolean = false,
    distinct: ColumnScope.(List<E>) -> Unit,
) {
    contract { callsInPlace(distinct, EXACTLY_ONCE) }
    val column = column(Field.of(name, DictionaryType(index, Field.of("", DataType.NULL), ordered)))
    if (grows) column.growIndices()
    val positions = HashMap<Any, Int>()
    val all = ArrayList<E>()
    val indices = IntArray(rows) { row ->
        values(row)?.let { value ->
            positions.getOrPut(contentOf(value)) {
                all += value
                all.size - 1
            }
        } ?: -1
    }
    ColumnScope.ofOne(all.size, "a dictionary already has its column of values; put several columns into a struct",
        "", column::dictionary).distinct(all)
    for (position in indices) if (position < 0) column.appendNull() else column.appendIndex(position.toLong())
}

/**
 * Adds a column of values of any type, stored as runs of equal values.
 *
 * Two values are equal if `equals` returns true; two arrays are equal if their contents are. [runs] receives one value
 * for each run, and adds the one column that stores them:
 *
 *     runEndEncoded("state", { row -> states[row] }) { states -> utf8 { states[it] } }
 *
 * @param values the value of a row, or null for a null
 * @param runEnds the type of the run ends: int16, int32 or int64
 * @throws IllegalArgumentException if there are more rows than the run ends can count
 */
@OptIn(ExperimentalContracts::class)
public inline fun <E : Any> ColumnScope.runEndEncoded(
    name: String = "",
    values: (row: Int) -> E?,
    runEnds: IntType = DataType.INT32,
    runs: ColumnScope.(List<E?>) -> Unit,
) {
    contract { callsInPlace(runs, EXACTLY_ONCE) }
    val column = column(Field.of(name, DataType.runEndEncoded(runEnds, RUN_VALUES)))
    val all = ArrayList<E?>()
    var begun = 0
    for (row in 0 until rows) {
        val value = values(row)
        if (row > 0 && isSame(value, all.last())) continue
        if (row > 0) column.appendRun((row - begun).toLong())
        begun = row
        all += value
    }
    if (rows > 0) column.appendRun((rows - begun).toLong())
    ColumnScope.ofOne(all.size, ONE_COLUMN, RUN_VALUES.name(), column::values).runs(all)
}

/**
 * Adds a column of runs of the given lengths. [runs] adds the one column of their values:
 *
 *     runsOfCounts("state", counts) { utf8(values = states) }
 *
 * @param counts the number of rows of each run, at least one
 * @param runEnds the type of the run ends: int16, int32 or int64
 */
@OptIn(ExperimentalContracts::class)
public inline fun ColumnScope.runsOfCounts(
    name: String = "",
    counts: IntArray,
    runEnds: IntType = DataType.INT32,
    runs: ColumnScope.() -> Unit,
) {
    contract { callsInPlace(runs, EXACTLY_ONCE) }
    val column = column(Field.of(name, DataType.runEndEncoded(runEnds, RUN_VALUES)))
    for (count in counts) column.appendRun(count.toLong())
    ColumnScope.ofOne(counts.size, ONE_COLUMN, RUN_VALUES.name(), column::values).runs()
}

/** Returns the object that identifies a value in comparisons: for an array, its contents. */
@PublishedApi
internal fun contentOf(value: Any): Any = if (value.javaClass.isArray) Content(value) else value

@PublishedApi
internal fun isSame(one: Any?, other: Any?): Boolean = one == other ||
    one != null && other != null && contentOf(one) == contentOf(other)

private class Content(private val array: Any) {
    override fun equals(other: Any?) = other is Content && arrayOf(array).contentDeepEquals(arrayOf(other.array))

    override fun hashCode() = arrayOf(array).contentDeepHashCode()
}

/** Arrow's name for the values of runs, before their type is known. */
@PublishedApi
internal val RUN_VALUES: Field = Field.of("values", DataType.NULL)

@PublishedApi
internal const val ONE_COLUMN: String = "runs already have their column of values; put several columns into a struct"
