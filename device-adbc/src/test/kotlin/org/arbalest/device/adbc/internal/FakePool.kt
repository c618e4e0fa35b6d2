// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcStatus
import java.time.Duration
import java.util.PriorityQueue
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.Future
import java.util.concurrent.TimeUnit.NANOSECONDS
import java.util.concurrent.TimeoutException
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.Condition

/** A server that a test stops and starts. */
internal class FakeServer(private val most: Int = 4) : PoolConnections.Source<FakeConnection> {
    /** Makes the failure of each attempt to connect; null while the server runs. */
    @Volatile var failure: (() -> Throwable)? = null

    /** The attempts to connect wait until it is open. */
    @Volatile var gate: CountDownLatch = CountDownLatch(0)

    val attempts = AtomicInteger()
    val opened = CopyOnWriteArrayList<FakeConnection>()

    /** The connections that are not closed. */
    val open: List<FakeConnection> get() = opened.filterNot { it.isClosed }

    @Volatile var isClosed = false

    fun stop() {
        failure = { ioError() }
    }

    fun start() {
        failure = null
    }

    override fun most(): Int = most

    override fun open(): FakeConnection {
        attempts.incrementAndGet()
        gate.await()
        failure?.let { throw it() }
        return FakeConnection().also(opened::add)
    }

    override fun close() {
        isClosed = true
    }

    override fun toString(): String = "a fake server"
}

/** A connection to a [FakeServer]. */
internal class FakeConnection : PooledConnection {
    @Volatile var isLost = false
    val closes = AtomicInteger()
    val isClosed: Boolean get() = closes.get() > 0
    val checks = AtomicInteger()

    /** The checks wait until it is open. */
    @Volatile var gate: CountDownLatch = CountDownLatch(0)

    /** The driver releases the connection when this runs; null if it does so in [close]. */
    @Volatile var releasing: ((Runnable) -> Unit)? = null

    override fun isValid(): Boolean {
        checks.incrementAndGet()
        gate.await()
        return !isLost
    }

    /** The condition at the end of the next uses. */
    @Volatile var condition = PooledConnection.Condition.GOOD

    /** The error of [reset]. */
    @Volatile var error: Error? = null

    override fun reset(): PooledConnection.Condition = error?.let { throw it } ?: condition

    override fun close(released: Runnable) {
        closes.incrementAndGet()
        releasing?.let { it(released) } ?: released.run()
    }
}

/** The time of a pool, which passes when a test says so. */
internal class FakeTime : PoolTime {
    private class Task(val at: Long, val action: Runnable)

    private val threads = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory())
    private val tasks = PriorityQueue<Task>(compareBy { it.at })
    private var now = Long.MAX_VALUE - 1_000_000_000 // overflows, as System.nanoTime may

    private val allDelays = CopyOnWriteArrayList<Duration>()

    /** The delays of less than a second so far: pauses between attempts to connect. */
    val delays: List<Duration> get() = allDelays.filter { it < Duration.ofSeconds(1) }

    @Volatile var isClosed = false

    override fun nanoTime(): Long = synchronized(tasks) { now }

    /** Makes the failure of [start]; null if threads can start. */
    @Volatile var failure: (() -> Throwable)? = null

    /** The tasks of [start] that have not ended. */
    val busy = AtomicInteger()

    override fun start(task: Runnable) {
        failure?.let { throw it() }
        busy.incrementAndGet()
        threads.execute {
            try {
                task.run()
            } finally {
                busy.decrementAndGet()
            }
        }
    }

    /** Whether a wait ends at once, and its whole time passes. */
    @Volatile var passesByWaits = false

    /** Runs once in the next wait for a change, under the lock. */
    @Volatile var inWait: (() -> Unit)? = null

    override fun await(changed: Condition, nanos: Long) {
        val action = inWait
        inWait = null
        action?.invoke()
        val before = System.nanoTime()
        if (!passesByWaits) changed.awaitNanos(nanos)
        passWithoutTasks(Duration.ofNanos(if (passesByWaits) nanos else System.nanoTime() - before))
    }

    override fun <T : Any> get(task: Future<T>, nanos: Long): T {
        if (!passesByWaits) return task.get(nanos, NANOSECONDS)
        passWithoutTasks(Duration.ofNanos(nanos))
        throw TimeoutException()
    }

    override fun after(nanos: Long, task: Runnable) {
        synchronized(tasks) { tasks += Task(elapsed + nanos, task) }
        allDelays += Duration.ofNanos(nanos)
    }

    private var elapsed = 0L

    /** Lets time pass, and runs the tasks whose time has come. */
    fun pass(time: Duration) {
        val end = synchronized(tasks) { elapsed + time.toNanos() }
        while (true) {
            val due = synchronized(tasks) {
                tasks.peek()?.takeIf { it.at <= end }?.also {
                    tasks.remove(it)
                    now += it.at - elapsed
                    elapsed = it.at
                }
            } ?: break
            due.action.run()
        }
        synchronized(tasks) {
            now += end - elapsed
            elapsed = end
        }
    }

    /** Lets time pass, as if the thread of the tasks were late. */
    fun passWithoutTasks(time: Duration) {
        synchronized(tasks) { now += time.toNanos() }
    }

    override fun close() {
        isClosed = true
        synchronized(tasks) { tasks.clear() }
    }
}

/** Returns what PostgreSQL's driver throws without a server. */
internal fun ioError(state: String = "", status: AdbcStatus = AdbcStatus.IO): AdbcException =
    AdbcException.of("AdbcConnectionInit", status.code()).sqlState(state).message("connection refused").build()
