// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcPoolOptions
import org.arbalest.device.adbc.AdbcStatus
import org.arbalest.device.adbc.error
import org.arbalest.device.adbc.start
import org.arbalest.support.logged
import org.arbalest.testkit.contract.eventually
import java.time.Duration
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import java.util.concurrent.Future
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.TimeoutException
import java.util.concurrent.atomic.AtomicReference

/** A pool whose server is away for a while, without a driver. */
class PoolConnectionsSpec : FunSpec({
    val server = AtomicReference(FakeServer())
    val time = AtomicReference(FakeTime())

    beforeTest {
        server.set(FakeServer())
        time.set(FakeTime())
    }

    fun pool(size: Int = 2, limit: Duration = Duration.ofSeconds(30)): PoolConnections<FakeConnection> =
        PoolConnections(server.get(), AdbcPoolOptions.of(size, limit), time.get())

    /** A pool that is started, with more options. */
    fun pool(size: Int, options: AdbcPoolOptions.() -> AdbcPoolOptions): PoolConnections<FakeConnection> =
        PoolConnections(server.get(), AdbcPoolOptions.of(size, Duration.ofSeconds(30)).options(), time.get())
            .also { it.start() }

    fun threads(block: (ExecutorService) -> Unit): Unit = Executors.newCachedThreadPool().use(block)

    /** Lets each pause end that begins, until [count] attempts have failed. */
    fun failAttempts(count: Int) {
        for (failed in 1..count) {
            eventually("attempt $failed fails") { time.get().delays.size == failed }
            if (failed < count) time.get().pass(time.get().delays.last())
        }
    }

    test("acquire repeats the attempt to connect while the server is away, after pauses that grow [ADB-31]") {
        threads { threads ->
            val pool = pool()
            server.get().stop()
            val acquired = threads.start { pool.acquire() }
            failAttempts(9)
            time.get().delays.map { it.toMillis() } shouldBe listOf<Long>(10, 20, 40, 80, 160, 320, 500, 500, 500)
            server.get().attempts.get() shouldBe 9
            time.get().pass(Duration.ofMillis(499)) // the pause has not ended
            server.get().attempts.get() shouldBe 9
            pool.statistics().waiting() shouldBe 1
            server.get().start()
            time.get().pass(Duration.ofMillis(1))
            acquired.get(5, SECONDS).connection shouldBeSameInstanceAs server.get().opened.single()
            pool.statistics().connectFailures() shouldBe 9
            pool.close() shouldBe null
        }
    }

    test("threads that wait for a server have one attempt at a time, and all connect when it is back [ADB-31]") {
        threads { threads ->
            val pool = pool(size = 4)
            server.get().stop()
            server.get().gate = CountDownLatch(1)
            val acquired = List(4) { threads.start { pool.acquire() } }
            eventually("4 attempts run") { server.get().attempts.get() == 4 }
            server.get().gate.countDown()
            eventually("4 attempts fail") { pool.statistics().connectFailures() == 4L }
            time.get().delays shouldHaveSize 1
            time.get().pass(Duration.ofMillis(10))
            eventually("one attempt is made") { time.get().delays.size == 2 }
            server.get().attempts.get() shouldBe 5
            server.get().start()
            time.get().pass(Duration.ofMillis(20))
            acquired.map { it.get(5, SECONDS).connection }.toSet() shouldHaveSize 4
            pool.close() shouldBe null
        }
    }

    test("the time limit ends the wait for a server, with the last failure as its cause [ADB-31]") {
        val pool = pool(limit = Duration.ofMillis(20))
        server.get().stop()
        val timeout = shouldThrow<TimeoutException> { pool.acquire() }
        timeout.message shouldBe "no connection of the pool was opened within 20 ms, because 1 attempt to connect " +
            "failed, the last by the cause of this exception; check that the server runs and accepts the user"
        timeout.cause.shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.IO
        pool.statistics().timeouts() shouldBe 1
        time.get().pass(Duration.ofSeconds(1)) // no thread waits: the attempt is not repeated
        server.get().attempts.get() shouldBe 1
        server.get().start()
        pool.release(pool.acquire())
        pool.statistics().created() shouldBe 1
        pool.close() shouldBe null
    }

    test("a limit of zero allows one attempt to connect, and none for a thread that must wait [ADB-31]") {
        val pool = pool(size = 1, limit = Duration.ZERO)
        server.get().stop()
        shouldThrow<TimeoutException> { pool.acquire() }.cause.shouldBeInstanceOf<AdbcException>()
        time.get().pass(Duration.ofMillis(10))
        server.get().start()
        val slot = pool.acquire()
        shouldThrow<TimeoutException> { pool.acquire() }.message shouldContain "all 1 are in use"
        pool.release(slot)
        pool.close() shouldBe null
    }

    test("an interrupt and the close of the pool end the wait for a server [ADB-31]") {
        threads { threads ->
            val pool = pool()
            server.get().stop()
            val (thread, interrupted) = threads.startAcquiring(pool)
            thread.interrupt()
            interrupted.error().shouldBeInstanceOf<InterruptedException>()
            val (_, closed) = threads.startAcquiring(pool)
            pool.close() shouldBe null
            closed.error().shouldBeInstanceOf<IllegalStateException>().message shouldBe "the pool is closed"
            server.get().isClosed shouldBe true
            time.get().isClosed shouldBe true
            shouldThrow<IllegalStateException> { pool.acquire() }
        }
    }

    test("neither the time limit nor an interrupt waits for a driver, and its connection is used later [ADB-31]") {
        threads { threads ->
            val pool = pool(size = 1, limit = Duration.ofMillis(20))
            server.get().gate = CountDownLatch(1)
            val (thread, interrupted) = threads.startAcquiring(pool)
            thread.interrupt()
            interrupted.error().shouldBeInstanceOf<InterruptedException>()
            val (_, late) = threads.startAcquiring(pool)
            late.error().shouldBeInstanceOf<TimeoutException>().message shouldBe "no connection of the pool was " +
                "opened within 1000 ms, because the database has not answered; check that the server runs, and raise " +
                "the time limit"
            server.get().gate.countDown()
            eventually("the connection is idle") { pool.statistics().idle() == 1 }
            pool.release(pool.acquire())
            server.get().attempts.get() shouldBe 1
            pool.close() shouldBe null
        }
    }

    test("a connection that opens after the pool's close is closed [ADB-31]") {
        threads { threads ->
            val pool = pool()
            server.get().gate = CountDownLatch(1)
            val (_, waiting) = threads.startAcquiring(pool)
            pool.close() shouldBe null
            waiting.error().shouldBeInstanceOf<IllegalStateException>()
            server.get().gate.countDown()
            eventually("the connection is closed") { server.get().opened.size == 1 && server.get().open.isEmpty() }
            pool.statistics().borrowed() shouldBe 0
        }
    }

    test("connections open side by side, as many as the databases allow and threads wait for [ADB-31]") {
        threads { threads ->
            val pool = pool(size = 9)
            server.get().gate = CountDownLatch(1)
            val acquired = List(6) { threads.start { pool.acquire() } }
            eventually("all threads wait") { pool.statistics().waiting() == 6 }
            eventually("4 attempts run") { server.get().attempts.get() == 4 }
            server.get().gate.countDown()
            acquired.map { it.get(5, SECONDS).connection }.toSet() shouldHaveSize 6
            server.get().attempts.get() shouldBe 6
            pool.close() shouldBe null
        }
    }

    test("a thread that waits for a server receives a connection that another thread returns [ADB-31]") {
        threads { threads ->
            val pool = pool()
            val slot = pool.acquire()
            server.get().stop()
            val (_, waiting) = threads.startAcquiring(pool)
            pool.release(slot)
            val second = waiting.get(5, SECONDS)
            second.connection shouldBeSameInstanceAs slot.connection
            pool.release(second)
            pool.close() shouldBe null
        }
    }

    test("a failure that does not pass is thrown at once, with the caller's stack, and frees its place [ADB-31]") {
        val pool = pool(size = 1)
        for (failure in listOf(ioError("28P01", AdbcStatus.UNAUTHENTICATED), IllegalArgumentException("no driver"),
            StackOverflowError("of the driver"))) {
            server.get().failure = { failure }
            val thrown = runCatching { pool.acquire() }.exceptionOrNull()
            thrown shouldBeSameInstanceAs failure
            thrown!!.suppressed.single().isFromHere() shouldBe true
        }
        time.get().delays shouldHaveSize 0
        server.get().start()
        pool.release(pool.acquire())
        pool.close() shouldBe null
    }

    test("a connection is not checked shortly after its use, unless that had an error [ADB-31]") {
        val pool = pool(size = 1)
        pool.release(pool.acquire())
        val connection = server.get().opened.single()
        time.get().pass(Duration.ofMillis(499))
        pool.release(pool.acquire())
        connection.checks.get() shouldBe 0
        pool.statistics().bypassedChecks() shouldBe 1
        time.get().pass(Duration.ofMillis(500))
        pool.release(pool.acquire())
        connection.checks.get() shouldBe 1
        connection.condition = PooledConnection.Condition.DOUBTFUL
        pool.release(pool.acquire())
        pool.statistics().bypassedChecks() shouldBe 2
        connection.condition = PooledConnection.Condition.GOOD
        pool.release(pool.acquire())
        connection.checks.get() shouldBe 2
        connection.condition = PooledConnection.Condition.LOST
        pool.release(pool.acquire())
        connection.isClosed shouldBe true
        pool.close() shouldBe null
    }

    test("a connection that opened for a thread which no longer waits is checked later [ADB-31]") {
        threads { threads ->
            val pool = pool(size = 1, limit = Duration.ofMillis(1))
            server.get().gate = CountDownLatch(1)
            val (thread, waiting) = threads.startAcquiring(pool)
            thread.interrupt()
            waiting.error()
            server.get().gate.countDown()
            eventually("the connection is idle") { pool.statistics().idle() == 1 }
            time.get().pass(Duration.ofMinutes(1))
            pool.release(pool.acquire())
            server.get().opened.single().checks.get() shouldBe 1
            pool.close() shouldBe null
        }
    }

    test("each idle connection that a restart of the server has lost is replaced once [ADB-31]") {
        val pool = pool(size = 3)
        val slots = List(3) { pool.acquire() }
        slots.forEach(pool::release)
        server.get().open.forEach { it.isLost = true }
        time.get().pass(Duration.ofSeconds(1))
        List(3) { pool.acquire() }.forEach(pool::release)
        with(pool.statistics()) {
            listOf(created(), validationFailures()) shouldBe listOf(6L, 3L)
        }
        eventually("the lost ones are closed") { server.get().open.size == 3 }
        pool.close() shouldBe null
        server.get().open shouldHaveSize 0
    }

    test("idle connections end at different ages, up to a tenth below the maximum, and none is older [ADB-39]") {
        val pool = pool(8) { maxLifetime(Duration.ofSeconds(1000)).idleTimeout(Duration.ZERO) }
        List(8) { pool.acquire() }.forEach(pool::release)
        time.get().pass(Duration.ofSeconds(900))
        val left = List(5) {
            pool.statistics().idle().also { time.get().pass(Duration.ofSeconds(30)) }
        }
        left shouldBe listOf(8, 6, 4, 2, 0)
        pool.statistics().expired() shouldBe 8
        eventually("all are closed") { server.get().open.isEmpty() }
        pool.close() shouldBe null
    }

    test("a connection that reaches its maximum age in use, or before the upkeep, is replaced [ADB-39]") {
        val pool = pool(1) { maxLifetime(Duration.ofHours(1)).idleTimeout(Duration.ZERO) }
        val first = pool.acquire()
        time.get().pass(Duration.ofHours(1))
        first.connection.isClosed shouldBe false
        pool.release(first)
        first.connection.isClosed shouldBe true
        val second = pool.acquire()
        pool.release(second)
        time.get().passWithoutTasks(Duration.ofHours(1))
        pool.release(pool.acquire())
        second.connection.isClosed shouldBe true
        second.connection.checks.get() shouldBe 0
        pool.statistics().expired() shouldBe 2
        pool.close() shouldBe null
    }

    test("connections that are idle too long are closed, the least recently used first, except the minimum [ADB-39]") {
        val pool = pool(4) { idleTimeout(Duration.ofSeconds(60)).minimumIdle(1).maxLifetime(Duration.ZERO) }
        val slots = List(4) { pool.acquire() }
        slots.drop(1).forEach(pool::release)
        time.get().pass(Duration.ofSeconds(31))
        pool.release(slots[0])
        time.get().pass(Duration.ofSeconds(30))
        eventually("three are closed") { slots.drop(1).all { it.connection.isClosed } }
        time.get().pass(Duration.ofSeconds(600))
        slots[0].connection.isClosed shouldBe false
        pool.statistics().idleTimeouts() shouldBe 3
        pool.close() shouldBe null
    }

    test("the minimum of idle connections is opened at once, and again when one is used or lost [ADB-39]") {
        val pool = pool(3) { minimumIdle(2) }
        eventually("two are idle") { pool.statistics().idle() == 2 }
        val slot = pool.acquire()
        eventually("two are idle again") { pool.statistics().idle() == 2 }
        val second = pool.acquire()
        pool.statistics().created() shouldBe 3 // no more than the size
        second.connection.condition = PooledConnection.Condition.LOST
        pool.release(second)
        eventually("two are idle after a loss") { pool.statistics().idle() == 2 }
        pool.release(slot)
        pool.close() shouldBe null
        server.get().open shouldHaveSize 0
    }

    test("the minimum is opened by the upkeep when the server is back, and its failures are logged once [ADB-39]") {
        server.get().stop()
        lateinit var pool: PoolConnections<FakeConnection>
        val logged = logged("org.arbalest.device.adbc") {
            pool = pool(2) { minimumIdle(1) }
            eventually("the attempt fails") { pool.statistics().connectFailures() == 1L && time.get().busy.get() == 0 }
            time.get().pass(Duration.ofSeconds(29))
        }
        server.get().attempts.get() shouldBe 1
        logged.single().message shouldBe "opening an idle connection of the pool of 2 connections by a fake server " +
            "failed; it is repeated later"
        server.get().start()
        time.get().pass(Duration.ofSeconds(1))
        eventually("one is idle") { pool.statistics().idle() == 1 }
        pool.close() shouldBe null
    }

    test("a use that takes longer than the threshold is logged once, with the stack of acquire [ADB-39]") {
        val pool = pool(1) { leakDetectionThreshold(Duration.ofSeconds(10)) }
        val slot = pool.acquire()
        val logged = logged("org.arbalest.device.adbc") {
            time.get().pass(Duration.ofSeconds(9))
            pool.statistics().leaks() shouldBe 0
            time.get().pass(Duration.ofSeconds(60))
        }
        logged.single().let {
            it.message shouldBe "a connection of the pool of 1 connections by a fake server is in use for more than " +
                "10000 ms; close the lease that was acquired here"
            it.thrown.isFromHere() shouldBe true
        }
        pool.statistics().leaks() shouldBe 1
        pool.release(slot)
        pool.release(pool.acquire())
        logged("org.arbalest.device.adbc") { time.get().pass(Duration.ofSeconds(60)) } shouldHaveSize 0
        pool.close() shouldBe null
    }

    test("an interrupted thread that receives a connection while the pool closes leaves it closed [ADB-31]") {
        val pool = pool(size = 1)
        val slot = pool.acquire()
        time.get().inWait = {
            pool.release(slot)
            pool.close() shouldBe null
            throw InterruptedException()
        }
        shouldThrow<InterruptedException> { pool.acquire() }
        eventually("the connection is closed once") { slot.connection.closes.get() == 1 }
        pool.statistics().borrowed() shouldBe 0
        pool.statistics().idle() shouldBe 0
    }

    test("a thread that cannot start costs neither a connection nor a place [ADB-31]") {
        val pool = pool(2) { minimumIdle(1) }
        eventually("one is idle") { pool.statistics().idle() == 1 }
        time.get().failure = { OutOfMemoryError("cannot create a thread") }
        lateinit var first: PoolSlot<FakeConnection>
        logged("org.arbalest.device.adbc") {
            first = pool.acquire() // takes the idle connection, and the next one of the minimum is not opened
        }.single().thrown.shouldBeInstanceOf<OutOfMemoryError>()
        shouldThrow<OutOfMemoryError> { pool.acquire() }
        first.connection.condition = PooledConnection.Condition.LOST
        pool.release(first)
        first.connection.closes.get() shouldBe 1
        pool.statistics().borrowed() shouldBe 0
        time.get().failure = null
        val slots = List(2) { pool.acquire() }
        slots.forEach(pool::release)
        pool.close() shouldBe null
        server.get().open shouldHaveSize 0
    }

    test("an error while a connection is reset is thrown, and the connection is closed [ADB-31]") {
        val pool = pool(size = 1)
        val slot = pool.acquire()
        slot.connection.error = StackOverflowError("of the driver")
        shouldThrow<StackOverflowError> { pool.release(slot) }
        slot.connection.closes.get() shouldBe 1
        pool.release(pool.acquire())
        pool.close() shouldBe null
    }

    test("late checks of several idle connections end at the limit of acquire, not each at it [ADB-31]") {
        val pool = pool(size = 8, limit = Duration.ofSeconds(5))
        List(8) { pool.acquire() }.forEach(pool::release)
        time.get().passWithoutTasks(Duration.ofMinutes(1))
        val gate = CountDownLatch(1)
        server.get().opened.forEach { it.gate = gate }
        time.get().passesByWaits = true
        val start = time.get().nanoTime()
        shouldThrow<TimeoutException> { pool.acquire() }.message shouldBe "no connection of the pool was usable " +
            "within 5000 ms, because the checks of idle connections failed or did not end; check that the server " +
            "runs, and raise the time limit"
        Duration.ofNanos(time.get().nanoTime() - start) shouldBe Duration.ofSeconds(5)
        with(pool.statistics()) { listOf(validationFailures(), timeouts()) } shouldBe listOf(4L, 1L)
        pool.statistics().idle() shouldBe 4
        gate.countDown()
        eventually("the late ones are closed") { server.get().open.size == 4 }
        pool.close() shouldBe null
        server.get().opened.map { it.closes.get() } shouldBe List(8) { 1 }
    }

    test("acquire does not wait for the driver to release an invalid or old connection [ADB-31]") {
        val pool = pool(2) { maxLifetime(Duration.ofHours(1)).idleTimeout(Duration.ZERO) }
        val released = CountDownLatch(1)
        fun hold(slot: PoolSlot<FakeConnection>) {
            slot.connection.releasing = { action ->
                check(released.await(5, SECONDS))
                action.run()
            }
        }
        val first = pool.acquire()
        first.connection.isLost = true
        hold(first)
        pool.release(first)
        time.get().passWithoutTasks(Duration.ofSeconds(1))
        val second = pool.acquire()
        hold(second)
        time.get().passWithoutTasks(Duration.ofHours(1))
        pool.statistics().borrowed() shouldBe 2 // one that is used, one that the driver has not released
        released.countDown()
        eventually("the first is released") { pool.statistics().borrowed() == 1 }
        pool.release(second)
        pool.close() shouldBe null
    }

    test("a wait that falls into a pause ends with the failure before the pause [ADB-31]") {
        val pool = pool(limit = Duration.ofMillis(20))
        server.get().stop()
        shouldThrow<TimeoutException> { pool.acquire() }
        time.get().passesByWaits = true
        val timeout = shouldThrow<TimeoutException> { pool.acquire() }
        timeout.message shouldBe "no connection of the pool was opened within 1000 ms, because the last attempt to " +
            "connect failed, by the cause of this exception; check that the server runs and accepts the user"
        timeout.cause.shouldBeInstanceOf<AdbcException>().status() shouldBe AdbcStatus.IO
        pool.close() shouldBe null
    }

    test("the minimum is opened after pauses that grow, and an outage is logged once, without the lock [ADB-39]") {
        server.get().stop()
        lateinit var pool: PoolConnections<FakeConnection>
        val logged = logged("org.arbalest.device.adbc") {
            pool = pool(2) { minimumIdle(1).idleTimeout(Duration.ofMillis(2)) }
            for (attempt in 1L..4L) {
                eventually("attempt $attempt fails") {
                    pool.statistics().connectFailures() == attempt && time.get().busy.get() == 0
                }
                time.get().pass(Duration.ofMillis((1000L shl (attempt - 1).toInt()) - 1))
                server.get().attempts.get().toLong() shouldBe attempt
                time.get().pass(Duration.ofMillis(1))
            }
        }
        logged shouldHaveSize 1
        server.get().start()
        time.get().pass(Duration.ofSeconds(30))
        eventually("one is idle") { pool.statistics().idle() == 1 }
        pool.close() shouldBe null
    }

    test("a repeated attempt that hangs does not block others after a second [ADB-31]") {
        threads { threads ->
            val pool = pool()
            server.get().stop()
            val (_, acquired) = threads.startAcquiring(pool)
            failAttempts(1)
            val gate = CountDownLatch(1)
            server.get().gate = gate
            time.get().pass(Duration.ofMillis(10))
            eventually("the second attempt hangs") { server.get().attempts.get() == 2 }
            server.get().gate = CountDownLatch(0)
            server.get().start()
            time.get().pass(Duration.ofMillis(999))
            server.get().attempts.get() shouldBe 2
            time.get().pass(Duration.ofMillis(1))
            try {
                pool.release(acquired.get(5, SECONDS))
            } finally {
                gate.countDown()
            }
            server.get().attempts.get() shouldBe 3
            eventually("the attempt ends") { pool.statistics().idle() == 2 }
            pool.close() shouldBe null
            server.get().open shouldHaveSize 0
        }
    }

    test("a first attempt that hangs does not block a later caller after a second [ADB-31]") {
        threads { threads ->
            val pool = pool()
            val gate = CountDownLatch(1)
            server.get().gate = gate
            time.get().passesByWaits = true
            shouldThrow<TimeoutException> { pool.acquire() }
            eventually("the attempt hangs") { server.get().attempts.get() == 1 }
            time.get().passesByWaits = false
            server.get().gate = CountDownLatch(0)
            val (_, acquired) = threads.startAcquiring(pool)
            server.get().attempts.get() shouldBe 1
            time.get().pass(Duration.ofSeconds(1))
            try {
                pool.release(acquired.get(5, SECONDS))
            } finally {
                gate.countDown()
            }
            server.get().attempts.get() shouldBe 2
            eventually("the attempt ends") { pool.statistics().idle() == 2 }
            pool.close() shouldBe null
            server.get().open shouldHaveSize 0
        }
    }

    test("SQLSTATE decides whether a failure may pass, and without one the status [ADB-31]") {
        for (state in listOf("08001", "08006", "53300", "57P01", "57P02", "57P03")) {
            ConnectFailure.mayPass(ioError(state, AdbcStatus.INTERNAL)) shouldBe true
        }
        for (state in listOf("28P01", "3D000", "57P04", "58000", "42601")) {
            ConnectFailure.mayPass(ioError(state)) shouldBe false
        }
        AdbcStatus.entries.filter { ConnectFailure.mayPass(ioError(status = it)) } shouldBe
            listOf(AdbcStatus.UNKNOWN, AdbcStatus.IO, AdbcStatus.TIMEOUT)
        ConnectFailure.mayPass(IllegalStateException("08001")) shouldBe false
    }
})

private fun Throwable.isFromHere(): Boolean =
    stackTrace.any { it.className.startsWith(PoolConnectionsSpec::class.java.name) }

/** Starts to acquire a connection in a call that waits; returns its thread and future. */
private fun ExecutorService.startAcquiring(
    pool: PoolConnections<FakeConnection>,
): Pair<Thread, Future<PoolSlot<FakeConnection>>> {
    val thread = AtomicReference<Thread>()
    val future = start {
        thread.set(Thread.currentThread())
        pool.acquire()
    }
    eventually("the thread waits") { pool.statistics().waiting() == 1 || future.isDone }
    return thread.get() to future
}
