// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.StructType
import kotlin.contracts.ExperimentalContracts
import kotlin.contracts.InvocationKind.EXACTLY_ONCE
import kotlin.contracts.contract

/**
 * Adds a column of maps. [keys] adds the one column of their keys, and [values] the one column of their values. Each
 * receives the keys or values of all rows, one row after the other:
 *
 *     map("limits", { row -> limits[row] }, keys = { names -> utf8 { names[it] } }) { limits ->
 *         struct {
 *             float64("low") { limits[it].low }
 *             float64("high") { limits[it].high }
 *         }
 *     }
 *
 * @param maps the map of a row, or null for a null
 * @param keysSorted whether the keys of each map are in order, as in a `SortedMap`
 * @throws IllegalArgumentException if a key is null
 */
@OptIn(ExperimentalContracts::class)
public inline fun <K : Any, V> ColumnScope.map(
    name: String = "",
    maps: (row: Int) -> Map<K, V>?,
    keysSorted: Boolean = false,
    keys: ColumnScope.(List<K>) -> Unit,
    values: ColumnScope.(List<V>) -> Unit,
) {
    contract {
        callsInPlace(keys, EXACTLY_ONCE)
        callsInPlace(values, EXACTLY_ONCE)
    }
    val column = mapColumn(name, UNNAMED, UNNAMED, keysSorted)
    val allKeys = ArrayList<K>(rows)
    val allValues = ArrayList<V>(rows)
    fill(column, maps) {
        allKeys += it.keys
        allValues += it.values
        appendMap(it.size)
    }
    ColumnScope.ofOne(allKeys.size, "a map already has its column of keys", KEY, column::keys).keys(allKeys)
    ColumnScope.ofOne(allValues.size, "a map already has its column of values; put several columns into a struct",
        VALUE, column::values).values(allValues)
}

/**
 * Adds a column of maps of text, booleans or numbers, whose values may be null:
 *
 *     map("labels") { row -> labels[row] }
 *
 * @param keysSorted whether the keys of each map are in order, as in a `SortedMap`
 * @param maps the map of a row, or null for a null
 * @throws IllegalArgumentException if [K] or [V] is not String, Boolean, Byte, Short, Int, Long, Float or Double
 */
public inline fun <reified K : Any, reified V : Any> ColumnScope.map(
    name: String = "",
    keysSorted: Boolean = false,
    maps: (row: Int) -> Map<K, V?>?,
) {
    val column = mapColumn(name, itemOf(K::class).withName(KEY), itemOf(V::class).withName(VALUE), keysSorted)
    val (keys, values) = column.keys() to column.values()
    fill(column, maps) {
        appendMap(it.size)
        keys.appendItems(it.keys)
        values.appendItems(it.values)
    }
}

/** Arrow's name for the keys of a map. */
@PublishedApi
internal const val KEY: String = "key"

/** Arrow's name for the values of a map. */
@PublishedApi
internal const val VALUE: String = "value"

@PublishedApi
internal fun ColumnScope.mapColumn(name: String, key: Field, value: Field, keysSorted: Boolean): ColumnBuilder {
    val entries = Field.of("entries", StructType(listOf(key.withNullable(false), value))).withNullable(false)
    return column(Field.of(name, MapType(entries, keysSorted)))
}
