// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import org.arbalest.device.Device
import org.arbalest.device.MemoryManager
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import java.util.function.IntPredicate
import kotlin.contracts.ExperimentalContracts
import kotlin.contracts.InvocationKind.EXACTLY_ONCE
import kotlin.contracts.contract

/** Marks the receivers of the batch DSL, so that a block can use only the columns of its own level. */
@DslMarker
@Target(AnnotationTarget.CLASS)
public annotation class BatchDsl

/**
 * Builds a record batch of [rows] rows, column by column, in this device's memory; the caller closes it. If the CPU
 * cannot write to that memory, the batch is built in memory that the CPU can write, and copied on the device's default
 * stream; [await] waits for the copy.
 *
 * The overload with a collection builds a batch of objects, such as data classes. [batchOf] joins existing arrays.
 *
 *     val trades = device.batch(rows = prices.size) {
 *         float64("price", prices)
 *         utf8("symbol") { row -> symbols[row] }
 *         list("fills", { row -> orders[row].fills }) { fills ->
 *             struct {
 *                 int64("quantity") { fills[it].quantity }
 *             }
 *         }
 *     }
 *
 * If [columns] throws, or leaves by a `return`, all allocated memory is released. The call runs on the calling thread,
 * and suspends only where [columns] does.
 *
 * @param rows the number of values of every column
 * @param metadata the metadata of the batch's schema
 * @param columns adds the columns
 * @throws IllegalArgumentException if [rows] is negative, or a column has no name
 * @throws IllegalStateException if a column has another number of values
 * @throws org.arbalest.device.DeviceException with `ENOSYS` if no backend supports this device, with `ENOMEM` if memory
 *     is insufficient
 */
@OptIn(ExperimentalContracts::class)
public inline fun Device.batch(
    rows: Int,
    metadata: Metadata = Metadata.empty(),
    columns: ColumnScope.() -> Unit,
): RecordBatch {
    contract { callsInPlace(columns, EXACTLY_ONCE) }
    return memory().batch(rows, metadata, columns)
}

/**
 * Builds a record batch, column by column, whose number of rows is the length of its first column; otherwise like the
 * overload with a number of rows.
 *
 * The first column is given by an array or a list, or appended to by hand. The later columns may also be lambdas of the
 * row.
 *
 *     val trades = device.batch {
 *         float64("price", prices)
 *         utf8("symbol") { row -> symbols[row] }
 *     }
 *
 * @param metadata the metadata of the batch's schema
 * @param columns adds the columns
 * @throws IllegalStateException if columns have different numbers of values, or a lambda comes before the number of
 *     rows is known
 */
@OptIn(ExperimentalContracts::class)
public inline fun Device.batch(metadata: Metadata = Metadata.empty(), columns: ColumnScope.() -> Unit): RecordBatch {
    contract { callsInPlace(columns, EXACTLY_ONCE) }
    return memory().batch(metadata, columns)
}

/**
 * Builds a record batch of [rows] rows, column by column, in this memory, such as a pool or a device's
 * [pinned memory][Device.hostMemory]; see [Device.batch].
 */
@OptIn(ExperimentalContracts::class)
public inline fun MemoryManager.batch(
    rows: Int,
    metadata: Metadata = Metadata.empty(),
    columns: ColumnScope.() -> Unit,
): RecordBatch {
    contract { callsInPlace(columns, EXACTLY_ONCE) }
    return BatchBuilder.of(this, rows).use { builder ->
        builder.metadata(metadata)
        ColumnScope.of(builder).columns()
        builder.build()
    }
}

/**
 * Builds a record batch, column by column, in this memory, whose number of rows is the length of its first column; see
 * [Device.batch].
 */
@OptIn(ExperimentalContracts::class)
public inline fun MemoryManager.batch(
    metadata: Metadata = Metadata.empty(),
    columns: ColumnScope.() -> Unit,
): RecordBatch {
    contract { callsInPlace(columns, EXACTLY_ONCE) }
    return BatchBuilder.of(this).use { builder ->
        builder.metadata(metadata)
        ColumnScope.ofUncounted(builder).columns()
        builder.build()
    }
}

/**
 * The receiver that adds columns: to a batch, to a struct, or a single one as the elements of a list.
 *
 * A column is given by an array or by a lambda of the row. An array is copied in one operation if Arrow stores its
 * values in the same layout. A lambda returns null for a null. The lambdas are inlined, so a non-null value is not
 * boxed. With an array, `isNull` returns whether a row is null; `bits::get` converts a `BitSet` or a `BooleanArray` to
 * it.
 *
 * A column of a batch or a struct without a name is an [IllegalArgumentException]; the elements of a list have the
 * default name `item`. As in Arrow, two columns may have the same name, and can then be found only by their index.
 *
 * A scope is used by one thread at a time, and only until its block ends: later calls throw [IllegalStateException].
 *
 * Columns are nullable, and have no metadata. A modifier before a column changes this, for that column and not for
 * columns inside it:
 *
 *     notNull.int64("id", ids)
 *     notNull.withMetadata(Metadata.of("unit", "m")).struct("at") { notNull.float64("x", xs) }
 *     with(notNull) { // of several columns
 *         float64("price", prices)
 *         int32("size", sizes)
 *     }
 */
@BatchDsl
public class ColumnScope private constructor(
    private val counter: RowCounter,
    private val isNullable: Boolean,
    private val metadata: Metadata,
    private val add: (Field) -> ColumnBuilder,
) {
    private constructor(rows: Int, add: (Field) -> ColumnBuilder) : this(RowCounter(rows), true, Metadata.empty(), add)

    /**
     * The number of values of every column; in a list, the number of elements of all lists.
     *
     * In a batch that takes its number of rows from the first column, this property throws [IllegalStateException]
     * until the number is known: until the first column was given by a list, or another column follows it.
     */
    public val rows: Int get() = counter.rows()

    /** A scope whose columns are not nullable in the schema; a null is an [IllegalArgumentException]. */
    public val notNull: ColumnScope get() = ColumnScope(counter, isNullable = false, metadata, add)

    /** Returns a scope whose columns have this metadata after that of this scope; an extension type keeps its own. */
    public fun withMetadata(metadata: Metadata): ColumnScope =
        ColumnScope(counter, isNullable, this.metadata + metadata, add)

    /** Adds a column of any type that core can build. The caller appends its [rows] values. */
    public fun column(field: Field): ColumnBuilder {
        val nullable = if (isNullable) field else field.withNullable(false)
        val modified = if (metadata.isEmpty) nullable else nullable.withMetadata(metadata + field.metadata())
        return add(modified).also(counter::count)
    }

    internal fun requireRows(name: String, given: Int) {
        counter.require(name.ifEmpty { ITEM }, given)
    }

    @PublishedApi
    internal companion object {
        @PublishedApi
        internal fun of(batch: BatchBuilder): ColumnScope = ColumnScope(batch.rows()) {
            batch.column(named(it, "a batch"))
        }

        @PublishedApi
        internal fun ofUncounted(batch: BatchBuilder): ColumnScope = ColumnScope(-1) {
            batch.column(named(it, "a batch"))
        }

        @PublishedApi
        internal fun ofStruct(rows: Int, struct: ColumnBuilder): ColumnScope = ColumnScope(rows) {
            struct.addChild(named(it, "a struct"))
        }

        @PublishedApi
        internal fun ofList(rows: Int, list: ColumnBuilder): ColumnScope =
            ofOne(rows, "a list already has its column of elements; put several columns into a struct",
                ITEM, list::items)

        /**
         * Returns a scope for a single column, which gets the name [name] if it has none.
         *
         * @param more the message of the exception for a second column
         */
        @PublishedApi
        internal fun ofOne(rows: Int, more: String, name: String, add: (Field) -> ColumnBuilder): ColumnScope {
            var added = false
            return ColumnScope(rows) { field ->
                check(!added) { more }
                added = true
                add(if (field.name().isEmpty()) field.withName(name) else field)
            }
        }

        private fun named(field: Field, where: String): Field {
            require(field.name().isNotEmpty()) {
                "a column of $where needs a name; only the elements of a list do without"
            }
            return field
        }

        /** Arrow's name for the elements of a list. */
        @PublishedApi
        internal const val ITEM: String = "item"
    }
}

/** The number of rows; negative at first in a batch that takes it from its first column. */
private class RowCounter(private var count: Int) {
    /** The column that determines the number, and whether another column follows it. */
    private var first: ColumnBuilder? = null
    private var more = false

    fun rows(): Int {
        if (count >= 0) return count
        val counting = first
        check(counting != null && more) {
            "the number of rows is not known yet: pass batch(rows = …), or begin with a column that is built from " +
                "an array or a list"
        }
        return countOf(counting.length())
    }

    fun count(added: ColumnBuilder) {
        if (first == null) first = added else more = true
    }

    fun require(name: String, given: Int) {
        if (count < 0) count = first?.let { countOf(it.length()) } ?: given
        check(given == count) { "column \"$name\" takes $count values, one for each row, but received $given" }
    }
}

private operator fun Metadata.plus(more: Metadata): Metadata =
    more.entries().fold(this) { sum, pair -> sum.with(pair.keyBytes(), pair.valueBytes()) }

/**
 * Appends the result of [value] for each row. With this form kotlinc does not box primitives; with `if (value == null)`
 * it does.
 */
@PublishedApi
internal inline fun <T : Any> ColumnScope.fill(
    column: ColumnBuilder,
    value: (Int) -> T?,
    append: ColumnBuilder.(T) -> Unit,
) {
    for (row in 0 until rows) {
        value(row)?.let { column.append(it) } ?: column.appendNull()
    }
}

internal fun ColumnBuilder.nullWhere(isNull: IntPredicate?) {
    if (isNull != null) setNulls(isNull)
}
