// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.isActive
import kotlinx.coroutines.launch
import org.arbalest.device.DeviceArray
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.columns.Selection
import org.arbalest.device.spi.ArrayBridge
import kotlin.coroutines.EmptyCoroutineContext

/**
 * Returns a flow of the selected rows of each array, as by [DeviceArray.filter]. Arrays without a selected row are left
 * out.
 *
 *     reader.asFlow().filterRows { batch -> batch["price"].doubles().where { it > 5 } }.collect { … }
 *
 * **Ownership.** The result owns its arrays, as [lendingFlow] does. It also owns the arrays of this flow from their
 * `emit` on, as [asReader] does, and closes each when the collector has finished with its rows.
 *
 * **Threads.** The filter runs in the collector's context, and waits for an array that is not ready. To suspend
 * instead, call [await] in the block.
 *
 * @param selection returns the rows of an array to keep. The array is borrowed: it is closed after the emit. An
 *     exception of the block ends the collection
 */
public fun <A : DeviceArray> Flow<A>.filterRows(
    selection: suspend (batch: A) -> Selection,
): LendingFlow<A> = lendingFlow<A>(this) {
    this@filterRows.collect {
        it.use { batch ->
            val rows = selection(batch)
            // throws if the selection has another length
            if (rows.count() > 0 || rows.length() != batch.length()) emit(batch.like(batch.filter(rows)))
        }
    }
}

/**
 * Returns a flow of the same batches with only some columns, in the given order, without a copy: as by
 * [RecordBatch.select], also with paths such as `"a.b"`. Ownership is as in [filterRows].
 *
 * Collecting throws an [IllegalArgumentException] if the batches do not have the columns. A stream of a reader checks
 * this earlier, and its source may make fewer columns: [RecordBatchReader.select].
 */
public fun Flow<RecordBatch>.selectColumns(vararg paths: String): LendingFlow<RecordBatch> =
    lendingFlow<RecordBatch>(this) {
        this@selectColumns.collect { it.use { batch -> emit(batch.select(*paths)) } }
    }

/**
 * Returns a flow of the same rows in arrays of one length: small arrays are joined, and large ones cut. The last array
 * may be shorter. Arrays without rows are left out.
 *
 * A cut is a [DeviceArray.slice], without a copy. Arrays are joined as by [DeviceArray.concat], so each row is copied
 * once at most, unless the CPU cannot access the arrays: joining these copies them by main memory. Rows that wait are
 * copied before if they are few of their array, or many small arrays.
 *
 * **Threads.** Arrays are joined in the collector's context, which waits until they are ready.
 *
 * **Ownership.** It is as in [filterRows]. Rows that wait for the next array are released when the collection ends, for
 * any reason. They are copied before as by a reader's `rebatch` if they keep much more memory than they need.
 *
 * **Errors.** An exception or [Error] of this flow follows the rows before it.
 *
 * @param rows the number of rows of each array, at least 1
 * @throws IllegalArgumentException if the number of rows is less than 1
 */
public fun <A : DeviceArray> Flow<A>.rebatch(rows: Long): LendingFlow<A> {
    require(rows >= 1) { "a batch must have at least 1 row, but $rows were given" }
    return lendingFlow<A>(this) {
        var failure: Throwable? = null
        Waiting<A>().use { waiting ->
            var isOurFailure = false
            // Not with `catch`: a cancellation between its two collectors would lose an array.
            try {
                this@rebatch.collect { array ->
                    array.use { batch ->
                        isOurFailure = true
                        var from = 0L
                        while (batch.length() - from >= rows - waiting.rows) {
                            val count = rows - waiting.rows
                            waiting.add(batch.like(batch.slice(from, count)))
                            from += count
                            emit(waiting.joined())
                        }
                        if (from < batch.length()) {
                            waiting.add(batch.like(batch.slice(from, batch.length() - from)))
                            waiting.letWait()
                        }
                        isOurFailure = false
                    }
                }
            } catch (t: Throwable) {
                if (isOurFailure || !currentCoroutineContext().isActive) throw t
                failure = t
            }
            try {
                if (waiting.rows > 0) emit(waiting.joined())
            } catch (t: Throwable) {
                failure?.takeIf { it !== t }?.let(t::addSuppressed)
                throw t
            }
        }
        failure?.let { throw it }
    }
}

/**
 * Returns a flow of the elements of all [flows], in the order in which they arrive. The flows are collected at the same
 * time, each at most one element ahead. The result owns the elements. If one flow fails, the others are
 * cancelled. Import this function, not only `merge` of kotlinx.coroutines, whose result would have closed elements.
 *
 * @throws IllegalArgumentException if there is no flow
 */
@OptIn(DelicateCoroutinesApi::class) // ATOMIC
public fun <T : AutoCloseable> merge(vararg flows: LendingFlow<T>): LendingFlow<T> {
    require(flows.isNotEmpty()) { "merge needs at least one flow" }
    return flows.first().ahead(0, EmptyCoroutineContext, { discardAll(flows) }) { collector ->
        coroutineScope {
            // Collected even if it is cancelled before it begins: only the collection closes the source.
            for (flow in flows) launch(start = CoroutineStart.ATOMIC) { flow.collect(collector) }
        }
    }
}

/** Returns a flow of the elements of all flows; see [merge]. */
public fun <T : AutoCloseable> Iterable<LendingFlow<T>>.merge(): LendingFlow<T> = merge(*toList().toTypedArray())

/** The arrays whose rows do not fill an array yet. */
private class Waiting<A : DeviceArray> : AutoCloseable {
    private val parts = mutableListOf<A>()

    var rows = 0L
        private set

    /** Takes an array. */
    fun add(part: A) {
        parts += part
        rows += part.length()
    }

    /** Frees the memory that the last array keeps besides its rows. */
    fun letWait() = ArrayBridge.letWait(parts)

    /** Returns all rows, of which none wait any more. */
    fun joined(): A {
        val joined = if (parts.size == 1) parts.single().let { it.like(it.move()) } else ArrayBridge.join(parts)
        close()
        return joined
    }

    override fun close() {
        parts.forEach(DeviceArray::close)
        parts.clear()
        rows = 0
    }
}
