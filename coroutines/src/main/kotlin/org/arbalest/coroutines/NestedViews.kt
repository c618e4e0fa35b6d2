// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.columns.Column
import org.arbalest.device.columns.Runs
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionType

/**
 * Returns a view of maps, in the order of their entries: `batch["labels"].maps()[row]["color"]`.
 *
 * @throws IllegalArgumentException if the column has another type; `get` throws it if a key occurs twice, which Arrow
 *     allows: [lists] returns all entries
 */
public fun Column.maps(): ObjectView<Map<Any?, Any?>> {
    require(field().valueType() is MapType) { "column $this cannot be read as maps" }
    return ObjectView(this, Column::getMap)
}

/**
 * Returns a view of structs as maps by name. Their values are the objects that core's `get` returns.
 *
 * @throws IllegalArgumentException if the column has another type
 */
@Suppress("UNCHECKED_CAST") // get returns such a map for a struct
public fun Column.structs(): ObjectView<Map<String, Any?>> {
    require(field().valueType() is StructType) { "column $this cannot be read as structs" }
    return ObjectView(this) { column, row -> column.getPresent(row) as Map<String, Any?> }
}

/**
 * Returns a view of unions.
 *
 * @throws IllegalArgumentException if the column has another type
 */
public fun Column.unions(): UnionView = UnionView(this)

/**
 * A view of values of several types. Where the types are known, their own views are the fast way:
 *
 *     val answers = batch["answer"].unions()
 *     val (numbers, words) = answers.column["number"].longs() to answers.column["word"].strings()
 *     for (row in answers.indices) {
 *         when (answers.typeId(row)) {
 *             0 -> sum += numbers[answers.childRow(row)]
 *             1 -> println(words[answers.childRow(row)])
 *         }
 *     }
 */
public class UnionView internal constructor(column: Column) : ColumnView<Any>(column) {
    private val fieldOf: Map<Int, Field>

    init {
        val type = column.field().valueType()
        require(type is UnionType) { "column ${column.field()}, length ${column.length()} cannot be read as unions" }
        fieldOf = type.typeIds().zip(type.fields()).toMap()
    }

    /** Returns the value of a row that is not null, as core's `get` does. */
    public operator fun get(row: Int): Any = column.getPresent(row.toLong())

    /** Returns the type id of a row, even if its value is null. */
    public fun typeId(row: Int): Int = column.getTypeId(row.toLong())

    /** Returns the field of the union to which a row belongs. */
    public fun field(row: Int): Field = fieldOf.getValue(typeId(row))

    /** Returns the position of a row's value in the column of its field. */
    public fun childRow(row: Int): Int = column.getChildRow(row.toLong()).toInt()

    override fun read(row: Int): Any = get(row)
}

/** Returns the value of a row that is not null, as an object. */
private fun Column.getPresent(row: Long): Any =
    get(row) ?: throw NoSuchElementException("column \"${name()}\" is null in row $row; check isNull, or use getOrNull")

/**
 * Calls [action] for each remaining run, with its first row, the row after its last, and the position of its value in
 * [Runs.values]:
 *
 *     val runs = batch["price"].runs()
 *     val prices = runs.values().doubles()
 *     runs.forEach { start, end, value -> sum += prices[value] * (end - start) }
 */
public inline fun Runs.forEach(action: (start: Int, end: Int, value: Int) -> Unit) {
    while (next()) action(Math.toIntExact(start()), Math.toIntExact(end()), Math.toIntExact(value()))
}
