// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.columns.Selection

/**
 * Selects the rows that both select. Kotlin reads `a or b and c` from left to right: write `a or (b and c)`. The rows
 * that a selection does not select are `!selection`.
 *
 * @throws IllegalArgumentException if the lengths differ
 */
public infix fun Selection.and(other: Selection): Selection = this.and(other)

/**
 * Selects the rows that at least one of both selects; see [and].
 *
 * @throws IllegalArgumentException if the lengths differ
 */
public infix fun Selection.or(other: Selection): Selection = this.or(other)

/**
 * Selects the rows that are not null and whose value fulfils a condition:
 *
 *     batch.filter(batch["symbol"].strings().where { it.startsWith("A") }).use { … }
 *
 * [longs], [ints], [doubles] and [floats] have a `where` of their own, which boxes nothing. An exception of [condition]
 * reaches the caller.
 */
public inline fun <T : Any> ColumnView<T>.where(crossinline condition: (value: T) -> Boolean): Selection =
    Selection.where(size.toLong()) { row -> getOrNull(row.toInt())?.let(condition) ?: false }
