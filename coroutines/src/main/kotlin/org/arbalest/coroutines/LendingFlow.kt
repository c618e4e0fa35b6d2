// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.channels.BufferOverflow
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.ReceiveChannel
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.flow.SharedFlow
import kotlinx.coroutines.flow.SharingStarted
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.isActive
import kotlinx.coroutines.launch
import org.arbalest.device.DeviceArray
import org.arbalest.device.async.AsyncTask
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.time.Duration

/**
 * A cold flow that owns what it emits, and lends it: an array or a task is open while `emit` runs, that is, while the
 * collector and the operators before it work on it, and closed afterwards. [DeviceArray.retain] keeps an array;
 * [DeviceArray.move] and the exports take it.
 *
 * [buffer] and [flowOn] are its own, as the library's would hold what is closed meanwhile; [collectParallel] and
 * [mapParallel] work on several elements at a time. The library's operators that give elements out after their emit
 * (`first`, `toList`, …), or hold them (`flatMapMerge`, `collectLatest`, `shareIn`, …), do not compile. They do where
 * the type is `Flow`, as behind another operator, and so do functions that are no operators of one flow (`merge(a, b)`,
 * `combine(a, b, c)`): retain first where something is to come out of the collection,
 *
 *     val first = reader.asFlow().map { it.retain() }.first() // the caller closes it
 *
 * which is safe with `first`; `last` and `single` lose those that they do not give, and `toList` loses all if it does
 * not come to its end: collect into a list of your own, and close what is in it. **Never put retained arrays behind
 * `buffer`, `flowOn`, `conflate`, `flatMapMerge` or `shareIn`**: what these hold when the collection is cancelled or
 * fails is lost, and nothing closes it. Put [buffer] before them. A channel of your own closes what it holds by
 * `Channel(…, onUndeliveredElement = DeviceArray::close)`, and by `cancel()` in the end.
 */
public class LendingFlow<T : AutoCloseable> internal constructor(
    private val flow: Flow<T>,
    private val move: (T) -> T,
) : Flow<T> by flow {
    /**
     * This flow, running ahead of its collector in a coroutine of its own, by up to [capacity] elements, which are this
     * flow's: each is lent when its turn comes, and those that nobody collects are closed. An array that waits holds
     * its memory; so does what the stream made for the next.
     */
    public fun buffer(capacity: Int = 1): LendingFlow<T> {
        require(capacity >= 0) { "a buffer holds at least 0 elements, not $capacity" }
        return ahead(capacity, EmptyCoroutineContext)
    }

    /**
     * This flow with what comes before run in [context], which has no job, ahead of its collector by up to [capacity]
     * elements; like [buffer] otherwise.
     */
    public fun flowOn(context: CoroutineContext, capacity: Int = 1): LendingFlow<T> {
        require(context[Job] == null) { "a flow's context cannot contain a job" }
        require(capacity >= 0) { "a buffer holds at least 0 elements, not $capacity" }
        return ahead(capacity, context)
    }

    @OptIn(DelicateCoroutinesApi::class) // ATOMIC
    private fun ahead(capacity: Int, context: CoroutineContext): LendingFlow<T> {
        val running = flow {
            coroutineScope {
                val enough = AtomicBoolean()
                val held = Channel<T>(capacity, onUndeliveredElement = AutoCloseable::close)
                // Collected in any case, also if it is cancelled before it begins: that is what closes what it is of.
                val upstream = launch(context, CoroutineStart.ATOMIC) {
                    try {
                        flow.collect { held.send(move(it)) }
                    } catch (t: Throwable) {
                        // Where the collector had enough, nobody hears of the cancellation, nor of what was added to
                        // it.
                        val failure = if (t is CancellationException && enough.get())
                            t.suppressedExceptions.firstOrNull() ?: t else t
                        // Thrown after what the channel holds, or at once if nobody receives any more.
                        if (!held.close(failure) || failure is CancellationException) throw failure
                    }
                }
                upstream.invokeOnCompletion(held::close)
                try {
                    for (item in held) item.use { emit(it) }
                } finally {
                    enough.set(currentCoroutineContext().isActive)
                    upstream.cancel()
                    held.cancel()
                }
            }
        }
        return LendingFlow(running, move)
    }

    /**
     * Collects this flow by up to [concurrency] coroutines at a time: each runs [action] on one element, in [context],
     * which has no job.
     *
     *     reader.asFlow().collectParallel(4) { batch -> index(batch) }
     *
     * An element belongs to its coroutine, and is closed when [action] ends, however it ends. Elements are begun in
     * their order, and end in any. While all coroutines work, this flow waits with its next element; put [buffer]
     * before this to have more ready. Returns when all have ended.
     *
     * If an [action] throws, the collection fails with that: this flow and the other coroutines are cancelled, and
     * waited for. The same happens if this flow throws, or the caller is cancelled. Code that is not to be cancelled,
     * such as a call of C, is waited for.
     *
     * @throws IllegalArgumentException if [concurrency] is less than 1, or [context] has a job; nothing is collected
     *     then
     * @throws IllegalStateException if the dispatcher in [context] was shut down
     */
    public suspend fun collectParallel(
        concurrency: Int,
        context: CoroutineContext = Dispatchers.Default,
        action: suspend (T) -> Unit,
    ) {
        requireWorkers(concurrency, context)
        coroutineScope {
            val workers = Workers(this, concurrency, context)
            flow.collect { workers.start(it, move, action) { } }
        }
    }

    /**
     * The results of [transform] for the elements of this flow, in their order, by up to [concurrency] coroutines at a
     * time, in [context], which has no job.
     *
     *     val sums = reader.asFlow().mapParallel(4) { batch -> batch["price"].doubles().sumOf { it ?: 0.0 } }.toList()
     *
     * An element belongs to its coroutine, and is closed when [transform] ends, however it ends. Up to [concurrency]
     * elements are ahead of the one whose result is collected next: they are worked on, or their results wait. Where
     * the order does not matter, [collectParallel] never waits for a slow element.
     *
     * **A result** is emitted as `map` emits it: it belongs to the collector then, or to a sink such as [asReader] and
     * [produceTo]. One that waits when the collection ends is closed, if it is [AutoCloseable], as arrays are.
     *
     * If a [transform] throws, the collection fails with that at once, also before the results that wait. Otherwise it
     * ends as [collectParallel] does; what this flow throws comes after the results of what it emitted before.
     *
     * @throws IllegalArgumentException if [concurrency] is less than 1, or [context] has a job
     */
    public fun <R> mapParallel(
        concurrency: Int,
        context: CoroutineContext = Dispatchers.Default,
        transform: suspend (T) -> R,
    ): Flow<R> {
        requireWorkers(concurrency, context)
        // Not by `flow`, whose emit throws where the collector was cancelled, and loses the result.
        return object : Flow<R> {
            override suspend fun collect(collector: FlowCollector<R>) = coroutineScope {
                val workers = Workers(this, concurrency, context)
                val results = lending<Pending<R>>({ it.move() }) {
                    flow.collect { item ->
                        val result = Slot<R>()
                        workers.start(item, move, transform, result::put)
                        emit(Pending(result))
                    }
                }
                results.buffer(concurrency - 1).collect { collector.emit(it.take()) }
            }
        }
    }

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun first(): T = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun first(predicate: suspend (T) -> Boolean): T = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun firstOrNull(): T? = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun firstOrNull(predicate: suspend (T) -> Boolean): T? = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun last(): T = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun lastOrNull(): T? = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun single(): T = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun singleOrNull(): T? = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun toList(): List<T> = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun toList(destination: MutableList<T>): List<T> = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun <C : MutableCollection<in T>> toCollection(destination: C): C = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun toSet(): Set<T> = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun toSet(destination: MutableSet<T>): Set<T> = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun <K> associateBy(keySelector: suspend (T) -> K): Map<K, T> = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun <K, M : MutableMap<in K, in T>> associateByTo(destination: M, keySelector: suspend (T) -> K): M =
        refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun <V> associateWith(valueSelector: suspend (T) -> V): Map<T, V> = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun <V, M : MutableMap<in T, in V>> associateWithTo(
        destination: M,
        valueSelector: suspend (T) -> V,
    ): M = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun <K> groupBy(keySelector: suspend (T) -> K): Map<K, List<T>> = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun <K, M : MutableMap<in K, MutableList<T>>> groupByTo(
        destination: M,
        keySelector: suspend (T) -> K,
    ): M = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public fun chunked(size: Int): Flow<List<T>> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun <S> reduce(operation: suspend (accumulator: S, value: T) -> S): S = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun runningReduce(operation: suspend (accumulator: T, value: T) -> T): Flow<T> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun distinctUntilChanged(): Flow<T> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun distinctUntilChanged(areEquivalent: (old: T, new: T) -> Boolean): Flow<T> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun buffer(capacity: Int = Channel.BUFFERED, onBufferOverflow: BufferOverflow): Flow<T> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun conflate(): Flow<T> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun debounce(timeoutMillis: Long): Flow<T> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun debounce(timeout: Duration): Flow<T> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun debounce(timeout: (T) -> Any): Flow<T> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun sample(periodMillis: Long): Flow<T> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun sample(period: Duration): Flow<T> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun timeout(timeout: Duration): Flow<T> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun collectLatest(action: suspend (T) -> Unit): Unit = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun <R> mapLatest(transform: suspend (T) -> R): Flow<R> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun <R> flatMapLatest(transform: suspend (T) -> Flow<R>): Flow<R> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun <R> transformLatest(transform: suspend FlowCollector<R>.(T) -> Unit): Flow<R> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun <U, R> zip(other: Flow<U>, transform: suspend (T, U) -> R): Flow<R> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun <U, R> combine(flow: Flow<U>, transform: suspend (T, U) -> R): Flow<R> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun <U, R> combineTransform(flow: Flow<U>, transform: suspend FlowCollector<R>.(T, U) -> Unit): Flow<R> =
        refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun produceIn(scope: CoroutineScope): ReceiveChannel<T> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun shareIn(scope: CoroutineScope, started: SharingStarted, replay: Int = 0): SharedFlow<T> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public fun stateIn(scope: CoroutineScope, started: SharingStarted, initialValue: T): StateFlow<T> = refused()

    @Deprecated(HOLDS_CLOSED, level = DeprecationLevel.ERROR)
    public suspend fun stateIn(scope: CoroutineScope): StateFlow<T> = refused()

    @Deprecated(WORKS_ON_CLOSED, level = DeprecationLevel.ERROR)
    public fun <R> flatMapMerge(concurrency: Int = 16, transform: suspend (T) -> Flow<R>): Flow<R> = refused()

    private fun refused(): Nothing = throw UnsupportedOperationException(GIVES_CLOSED)
}

private const val GIVES_CLOSED = "what a lending flow emits is closed after its emit: retain it first, by map { " +
    "it.retain() }, or use it in collect"
private const val HOLDS_CLOSED = "what a lending flow emits is closed after its emit, and this would hold it for longer"
private const val WORKS_ON_CLOSED =
    "what a lending flow emits is closed after its emit, and this would work on it for longer: collectParallel and " +
        "mapParallel own what they work on"

/**
 * A cold flow that owns the arrays that are emitted in it, and lends them to whoever collects: `flow`, for what must be
 * closed.
 *
 *     lendingFlow {
 *         for (day in days) emit(device.batch(…) { … })
 *     }
 *
 * **What is emitted** is the flow's from that moment, whatever happens to the emit, cancellation included, and closed
 * when the emit ends. **Whoever collects** may use it until then, as with [asFlow], and keeps it by
 * [DeviceArray.retain], takes it by [DeviceArray.move] or an export, or leaves it to a sink such as [asReader] and
 * [produceTo], which take it by themselves.
 *
 * It is like `flow { batch().use { emit(it) } }`, and otherwise like `flow`: one emit at a time, in the collector's
 * context. A plain `flow` does not close what it emits; and where its coroutine was cancelled, its `emit` throws
 * without handing anything on. It is right for arrays only if each is closed after its emit, or if a sink collects it
 * that nobody cancels from outside.
 *
 * Between its making and its emit an array is the block's own: one that is to live through a suspension is to be closed
 * if that throws.
 */
public fun lendingFlow(block: suspend FlowCollector<DeviceArray>.() -> Unit): LendingFlow<DeviceArray> =
    lending(DeviceArray::move, block)

/** The same for tasks, for [produceTasksTo]. */
public fun lendingTaskFlow(block: suspend FlowCollector<AsyncTask>.() -> Unit): LendingFlow<AsyncTask> =
    lending(AsyncTask::move, block)

private fun <T : AutoCloseable> lending(move: (T) -> T, block: suspend FlowCollector<T>.() -> Unit): LendingFlow<T> =
    LendingFlow(
        flow { Lender(this, currentCoroutineContext()).block() },
        move,
    )
