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
import kotlinx.coroutines.flow.cancellable
import kotlinx.coroutines.flow.catch
import kotlinx.coroutines.flow.distinctUntilChangedBy
import kotlinx.coroutines.flow.drop
import kotlinx.coroutines.flow.dropWhile
import kotlinx.coroutines.flow.emitAll
import kotlinx.coroutines.flow.filter
import kotlinx.coroutines.flow.filterNot
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.mapNotNull
import kotlinx.coroutines.flow.onCompletion
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.onEmpty
import kotlinx.coroutines.flow.onStart
import kotlinx.coroutines.flow.retryWhen
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.takeWhile
import kotlinx.coroutines.flow.transform
import kotlinx.coroutines.isActive
import kotlinx.coroutines.launch
import org.arbalest.device.DeviceArray
import org.arbalest.device.async.AsyncTask
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.reflect.KClass
import kotlin.time.Duration

/**
 * A cold flow that owns its elements: an array or a task is open while `emit` runs, that is, while the operators and
 * the collector process it. After the `emit` the flow closes it.
 *
 * **Ownership.** [DeviceArray.retain] keeps an array beyond the `emit`. [DeviceArray.move] and the exports take it from
 * the flow.
 *
 * **Operators.** Those that pass elements on ([filter], [take], [onEach], [catch], …) are members, so that the result
 * owns them, too. So are [buffer] and [flowOn], because those of kotlinx.coroutines would hold closed elements, and
 * [map] and [transform], whose results belong to the collector. [collectParallel] and [mapParallel] process several
 * elements at a time, [merge] joins flows, and [filterRows], [selectColumns] and [rebatch] make other batches. Other
 * operators, which return elements after their `emit` (`first`, `toList`, …) or hold them (`flatMapMerge`,
 * `collectLatest`, `shareIn`, …), do not compile. They do compile where the static type is `Flow`; so do functions of
 * several flows (`combine(a, b, c)`, and `merge` of kotlinx.coroutines if it alone is imported). To take an element out
 * of the collection, retain it first:
 *
 *     val first = reader.asFlow().map { it.retain() }.first() // the caller closes it
 *
 * This is safe with `first`. `last` and `single` lose the elements that they do not return, and `toList` loses all
 * elements if it fails or is cancelled. Instead, collect into your own list and close its elements.
 *
 * **Never pass retained arrays through `buffer`, `flowOn`, `conflate`, `flatMapMerge` or `shareIn`.** When the
 * collection is cancelled or fails, nothing closes the elements that these operators hold. Put the [buffer] of this
 * class before the operator that retains. An application's own channel closes its elements with
 * `Channel(…, onUndeliveredElement = DeviceArray::close)`, and with `cancel()` at the end.
 */
public class LendingFlow<T : AutoCloseable> internal constructor(
    flow: Flow<T>,
    private val move: (T) -> T,
    private val source: () -> Unit = {},
) : Flow<T> {
    private val flow: Flow<T> = ContinuationPerContext.of(flow)

    override suspend fun collect(collector: FlowCollector<T>): Unit =
        discardingAfter(source) { flow.collect(collector) }

    /** See [discard]. */
    internal fun discardSource() = source()

    /**
     * Returns this flow with a buffer: a separate coroutine runs it ahead of the collector. It holds up to [capacity]
     * elements in the buffer, and one more that waits for a place there.
     *
     * The flow owns the buffered elements. Each is open during its `emit`, and the flow closes those that are not
     * collected. A buffered array keeps its memory allocated. So does memory that the stream has already allocated for
     * the next array.
     *
     * @param capacity the maximum number of buffered elements; at least 0
     * @throws IllegalArgumentException if [capacity] is negative
     */
    public fun buffer(capacity: Int = 1): LendingFlow<T> {
        require(capacity >= 0) { "a buffer holds at least 0 elements, not $capacity" }
        return ahead(capacity, EmptyCoroutineContext)
    }

    /**
     * Returns this flow so that all operators before this one run in [context], ahead of the collector by up to
     * [capacity] elements; otherwise like [buffer].
     *
     * @param context the context of the operators before this one; without a job
     * @param capacity the maximum number of buffered elements; at least 0
     * @throws IllegalArgumentException if [context] has a job, or [capacity] is negative
     */
    public fun flowOn(context: CoroutineContext, capacity: Int = 1): LendingFlow<T> {
        require(context[Job] == null) { "a flow's context cannot contain a job" }
        require(capacity >= 0) { "a buffer holds at least 0 elements, not $capacity" }
        return ahead(capacity, context)
    }

    private fun ahead(capacity: Int, context: CoroutineContext): LendingFlow<T> =
        ahead(capacity, context, source) { flow.collect(it) }

    /** Returns a flow of [elements], which run ahead of the collector, and may be emitted by several coroutines. */
    @OptIn(DelicateCoroutinesApi::class) // ATOMIC
    internal fun ahead(
        capacity: Int,
        context: CoroutineContext,
        source: () -> Unit,
        elements: suspend (FlowCollector<T>) -> Unit,
    ): LendingFlow<T> {
        val running = flow {
            coroutineScope {
                val enough = AtomicBoolean()
                val held = Channel<T>(capacity, onUndeliveredElement = AutoCloseable::close)
                // Collected even if it is cancelled before it begins: only the collection closes the source.
                val upstream = launch(context, CoroutineStart.ATOMIC) {
                    try {
                        elements { held.send(move(it)) }
                    } catch (t: Throwable) {
                        // If the collector stopped early, the caller receives neither the cancellation nor the
                        // exceptions suppressed in it.
                        val failure = if (t is CancellationException && enough.get())
                            t.suppressedExceptions.firstOrNull() ?: t else t
                        // The receiver throws the failure after the elements in the channel. If the receiver has gone,
                        // this coroutine throws it immediately.
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
        return LendingFlow(running, move, source)
    }

    /**
     * Collects this flow with up to [concurrency] coroutines at a time: each runs [action] on one element, in
     * [context].
     *
     *     reader.asFlow().collectParallel(4) { batch -> index(batch) }
     *
     * Each coroutine owns its element, and closes it when [action] ends, even if [action] fails. Elements start in
     * their order, and finish in any order. While all coroutines are busy, this flow waits with its next element; put
     * [buffer] before this call to prepare more elements. Returns when all coroutines have ended.
     *
     * If an [action] throws, the collection fails with that exception: it cancels this flow and the other coroutines,
     * and waits for them. The same happens if this flow throws, or the caller is cancelled. The collection waits for
     * code that cannot be cancelled, such as a native call.
     *
     * @param concurrency the maximum number of coroutines at a time; at least 1
     * @param context the context of the coroutines; without a job
     * @throws IllegalArgumentException if [concurrency] is less than 1, or [context] has a job; then the flow is not
     *     collected
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
            collect { workers.start(it, move, action) { } }
        }
    }

    /**
     * Returns a flow of the results of [transform], in the order of the elements. Up to [concurrency] coroutines at a
     * time run [transform] in [context].
     *
     *     val sums = reader.asFlow().mapParallel(4) { batch -> batch["price"].doubles().sumOf { it ?: 0.0 } }.toList()
     *
     * **Ownership.** Each coroutine owns its element, and closes it when [transform] ends, even if [transform] fails.
     * The flow emits a result as `map` does: the result then belongs to the collector, or to a call that takes the
     * flow, such as [asReader], [produceTo] and [rebatch]. When the collection ends, the flow closes the results that
     * wait, if they are [AutoCloseable], as arrays are.
     *
     * **Order.** Up to [concurrency] elements run ahead of the element whose result is collected next: coroutines
     * process them, or their results wait. Where the order does not matter, use [collectParallel]: it never waits for a
     * slow element.
     *
     * **Errors.** If a [transform] throws, the collection fails with that exception immediately, before results that
     * wait. If this flow throws, the results of the elements that it emitted before come first. Otherwise the flow ends
     * as [collectParallel] does.
     *
     * @param concurrency the maximum number of coroutines at a time; at least 1
     * @param context the context of the coroutines; without a job
     * @throws IllegalArgumentException if [concurrency] is less than 1, or [context] has a job
     */
    public fun <R> mapParallel(
        concurrency: Int,
        context: CoroutineContext = Dispatchers.Default,
        transform: suspend (T) -> R,
    ): Flow<R> {
        requireWorkers(concurrency, context)
        // Not built with `flow`: its emit throws if the collector was cancelled, and loses the result.
        val results = object : Flow<R> {
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
        return ChangedFlow(results, source)
    }

    /** Passes on the elements for which [predicate] returns true. */
    public fun filter(predicate: suspend (T) -> Boolean): LendingFlow<T> = passing(flow.filter(predicate))

    /** Passes on the elements for which [predicate] returns false. */
    public fun filterNot(predicate: suspend (T) -> Boolean): LendingFlow<T> = passing(flow.filterNot(predicate))

    /** Calls [action] with each element before it is passed on. */
    public fun onEach(action: suspend (T) -> Unit): LendingFlow<T> = passing(flow.onEach(action))

    /** Passes on the first [count] elements, and then ends the collection of this flow. */
    public fun take(count: Int): LendingFlow<T> = passing(flow.take(count))

    /** Passes on elements until [predicate] returns false, and then ends the collection of this flow. */
    public fun takeWhile(predicate: suspend (T) -> Boolean): LendingFlow<T> = passing(flow.takeWhile(predicate))

    /** Passes on the elements after the first [count]. */
    public fun drop(count: Int): LendingFlow<T> = passing(flow.drop(count))

    /** Passes on the elements from the first for which [predicate] returns false. */
    public fun dropWhile(predicate: suspend (T) -> Boolean): LendingFlow<T> = passing(flow.dropWhile(predicate))

    /** Calls [action] before the collection. The flow owns what it emits, as [lendingFlow] does. */
    public fun onStart(action: suspend FlowCollector<T>.() -> Unit): LendingFlow<T> =
        passing(flow.onStart { lender().action() })

    /** Calls [action] at the end if there was no element. The flow owns what it emits, as [lendingFlow] does. */
    public fun onEmpty(action: suspend FlowCollector<T>.() -> Unit): LendingFlow<T> =
        passing(flow.onEmpty { lender().action() })

    /** Calls [action] at the end, with the exception if there was one. The flow owns what it emits. */
    public fun onCompletion(action: suspend FlowCollector<T>.(cause: Throwable?) -> Unit): LendingFlow<T> =
        passing(flow.onCompletion { lender().action(it) })

    /** Calls [action] for an exception of this flow. The flow owns what it emits, as [lendingFlow] does. */
    public fun catch(action: suspend FlowCollector<T>.(cause: Throwable) -> Unit): LendingFlow<T> =
        passing(flow.catch { lender().action(it) })

    /**
     * Collects this flow again after an exception, as `retry` of kotlinx.coroutines does. The flow of a reader or an
     * async stream can be collected only once, and fails then.
     */
    public fun retry(
        retries: Long = Long.MAX_VALUE,
        predicate: suspend (cause: Throwable) -> Boolean = { true },
    ): LendingFlow<T> {
        require(retries > 0) { "a flow is retried at least once, not $retries times" }
        return retryWhen { cause, attempt -> attempt < retries && predicate(cause) }
    }

    /** Collects this flow again after an exception if [predicate] returns true; see [retry]. It owns what it emits. */
    public fun retryWhen(
        predicate: suspend FlowCollector<T>.(cause: Throwable, attempt: Long) -> Boolean,
    ): LendingFlow<T> {
        val retried = flow {
            var before: Throwable? = null
            val attempts = flow.retryWhen { cause, attempt ->
                if (cause is CollectedAlreadyException) before?.let(cause::addSuppressed)
                before = cause
                cause !is CollectedAlreadyException && lender().predicate(cause, attempt)
            }
            emitAll(attempts)
        }
        return passing(retried)
    }

    /** Passes on the elements whose key is not that of the element before. The key must not be the element itself. */
    public fun <K> distinctUntilChangedBy(keySelector: (T) -> K): LendingFlow<T> =
        passing(flow.distinctUntilChangedBy(keySelector))

    /** Checks for a cancellation before each element. */
    public fun cancellable(): LendingFlow<T> = passing(flow.cancellable())

    /** Returns a flow of the results of [transform], which belong to the collector. */
    public fun <R> map(transform: suspend (T) -> R): Flow<R> = ChangedFlow(flow.map(transform), source)

    /** Returns a flow of the results of [transform] that are not null; they belong to the collector. */
    public fun <R : Any> mapNotNull(transform: suspend (T) -> R?): Flow<R> =
        ChangedFlow(flow.mapNotNull(transform), source)

    /** Returns a flow of what [transform] emits, which belongs to the collector. */
    public fun <R> transform(transform: suspend FlowCollector<R>.(T) -> Unit): Flow<R> =
        ChangedFlow(flow.transform(transform), source)

    private fun passing(flow: Flow<T>): LendingFlow<T> = LendingFlow(flow, move, source)

    private suspend fun FlowCollector<T>.lender() = Lender(this, currentCoroutineContext())

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public fun withIndex(): Flow<IndexedValue<T>> = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public fun filterNotNull(): Flow<T> = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public fun <R> filterIsInstance(): Flow<R> = refused()

    @Deprecated(GIVES_CLOSED, level = DeprecationLevel.ERROR)
    public fun <R : Any> filterIsInstance(klass: KClass<R>): Flow<R> = refused()

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

private const val GIVES_CLOSED = "a lending flow closes each array after its emit: retain the array first, with map " +
    "{ it.retain() }, or use it in collect"
private const val HOLDS_CLOSED = "a lending flow closes each array after its emit, and this operator would keep it " +
    "for longer"
private const val WORKS_ON_CLOSED =
    "a lending flow closes each array after its emit, and this operator would use it for longer: collectParallel and " +
        "mapParallel own what they work on"

/**
 * Returns a cold flow that owns the arrays that [block] emits, and closes each one after its `emit`. It is the `flow`
 * builder for elements that must be closed.
 *
 *     lendingFlow {
 *         for (day in days) emit(device.batch(…) { … })
 *     }
 *
 * **Ownership.** From its `emit` on, an array belongs to the flow, even if the `emit` fails or is cancelled. The flow
 * closes it when the `emit` ends. Until then the collector may use it, as with [asFlow]. The collector keeps an array
 * with [DeviceArray.retain], takes it with [DeviceArray.move] or an export, or leaves it to a sink such as [asReader]
 * and [produceTo], which take it. Between its creation and its `emit` an array belongs to [block]: if the block
 * suspends in between, the block must close the array when the suspension throws.
 *
 * **Differences from `flow`.** It is like `flow { batch().use { emit(it) } }`: one `emit` at a time, in the collector's
 * context. A plain `flow` does not close its elements. After its coroutine is cancelled, its `emit` throws and does not
 * pass the element on. So a plain `flow` is correct for arrays only if the emitter closes each array after its `emit`,
 * or if a sink collects the flow and no other code cancels that collection.
 *
 * @param sources the flows that [block] collects. A [discard] of the result discards them, and so does the end of its
 *     collection
 */
public fun <A : DeviceArray> lendingFlow(
    vararg sources: Flow<*>,
    block: suspend FlowCollector<A>.() -> Unit,
): LendingFlow<A> =
    lending({ it.like(it.move()) }, { discardAll(sources) }, block)

/** Returns the result of an operation that keeps the class of a handle: a batch stays a batch. */
@Suppress("UNCHECKED_CAST")
internal fun <A : DeviceArray> A.like(result: DeviceArray): A = result as A

/** Returns a cold flow that owns the tasks that [block] emits, for [produceTasksTo]; otherwise like [lendingFlow]. */
public fun lendingTaskFlow(
    vararg sources: Flow<*>,
    block: suspend FlowCollector<AsyncTask>.() -> Unit,
): LendingFlow<AsyncTask> =
    lending(AsyncTask::move, { discardAll(sources) }, block)

/** @param source releases what the flow owns if it is not collected; see [discard] */
internal fun <T : AutoCloseable> lending(
    move: (T) -> T,
    source: () -> Unit = {},
    block: suspend FlowCollector<T>.() -> Unit,
): LendingFlow<T> =
    LendingFlow(
        flow { Lender(this, currentCoroutineContext()).block() },
        move,
        source,
    )
