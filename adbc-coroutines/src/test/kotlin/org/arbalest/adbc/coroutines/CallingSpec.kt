// SPDX-License-Identifier: Apache-2.0
@file:OptIn(ExperimentalCoroutinesApi::class)

package org.arbalest.adbc.coroutines

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.comparables.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.ExperimentalCoroutinesApi
import kotlinx.coroutines.asContextElement
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.launch
import kotlinx.coroutines.test.StandardTestDispatcher
import kotlinx.coroutines.test.advanceTimeBy
import kotlinx.coroutines.test.currentTime
import kotlinx.coroutines.test.runTest
import kotlinx.coroutines.withContext
import org.arbalest.device.adbc.AdbcException
import org.arbalest.device.adbc.AdbcStatus
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicReference

private fun failure(status: AdbcStatus) = AdbcException.of("AdbcStatementCancel", status.code()).build()

/** A call that waits until [letGo], and ignores every cancel. */
private class Waiting {
    val entered = CompletableDeferred<Unit>()
    private val gate = CountDownLatch(1)

    fun await() {
        entered.complete(Unit)
        gate.await()
    }

    fun letGo() = gate.countDown()
}

class CallingSpec : FunSpec({
    test("a call that ignores a cancel is cancelled again, at doubling intervals of at most a second [ADB-24]") {
        runTest {
            val waiting = Waiting()
            val asked = mutableListOf<Long>()
            val job = launch(start = CoroutineStart.UNDISPATCHED) {
                calling(Dispatchers.IO, {}, StandardTestDispatcher(testScheduler)) { call ->
                    call.cancellable({ asked += currentTime }) { waiting.await() }
                }
            }
            waiting.entered.await()
            val start = currentTime
            job.cancel()
            advanceTimeBy(4_000)
            val times = asked.map { it - start }
            waiting.letGo()
            job.join()
            times shouldBe listOf<Long>(0, 10, 30, 70, 150, 310, 630, 1270, 2270, 3270)
        }
    }

    test("the parts of a call before and after its cancellable part are not cancelled [ADB-24]") {
        val before = Waiting()
        val behind = Waiting()
        val asked = AtomicInteger()
        val run = AtomicInteger()
        Executors.newSingleThreadExecutor().use { thread ->
            runTest {
                val asking = StandardTestDispatcher(testScheduler)
                val first = launch(start = CoroutineStart.UNDISPATCHED) {
                    calling(thread.asCoroutineDispatcher(), {}, asking) { call ->
                        before.await()
                        call.cancellable({ asked.incrementAndGet() }) { run.incrementAndGet() }
                    }
                }
                val second = launch(start = CoroutineStart.UNDISPATCHED) {
                    calling(Dispatchers.IO, {}, asking) { call ->
                        call.cancellable({ asked.incrementAndGet() }) {}
                        behind.await()
                    }
                }
                try {
                    before.entered.await()
                    behind.entered.await()
                    first.cancel()
                    second.cancel()
                    advanceTimeBy(100)
                } finally {
                    before.letGo()
                    behind.letGo()
                }
                first.join()
                second.join()
            }
        } // only the close of the executor waits for the first call
        asked.get() shouldBe 0
        run.get() shouldBe 0
    }

    test("a call does not continue until its cancel has returned [ADB-24]") {
        val waiting = Waiting()
        val cancelling = CompletableDeferred<Unit>()
        val gate = CountDownLatch(1)
        val thread = AtomicReference<Thread>()
        val behind = AtomicInteger()
        coroutineScope {
            val job = launch(Dispatchers.Default) {
                val cancel: () -> Unit = {
                    cancelling.complete(Unit)
                    gate.await()
                }
                calling(Dispatchers.IO, {}) { call ->
                    call.cancellable(cancel) {
                        thread.set(Thread.currentThread())
                        waiting.await()
                    }
                    behind.incrementAndGet()
                }
            }
            waiting.entered.await()
            job.cancel()
            cancelling.await()
            waiting.letGo()
            try {
                eventually("the call waits for the cancel") { thread.get().state == Thread.State.BLOCKED }
                behind.get() shouldBe 0
            } finally {
                gate.countDown()
            }
            job.join()
            behind.get() shouldBe 1
        }
    }

    test("a cancellation carries the failures of cancel and drop, except INVALID_STATE [ADB-24]") {
        suspend fun errors(answer: (Int) -> Throwable): List<String?> {
            val waiting = Waiting()
            val asked = AtomicInteger()
            val ended = CompletableDeferred<Throwable?>()
            val cancel: () -> Unit = {
                val nth = asked.incrementAndGet()
                if (nth == 3) waiting.letGo()
                throw answer(nth)
            }
            coroutineScope {
                val job = launch(Dispatchers.Default) {
                    val drop: (String) -> Unit = { throw IllegalStateException("cannot drop the $it") }
                    val result = runCatching {
                        calling(Dispatchers.IO, drop) { call ->
                            call.cancellable(cancel) { waiting.await() }
                            "answer"
                        }
                    }
                    ended.complete(result.exceptionOrNull())
                }
                waiting.entered.await()
                job.cancel()
                job.join()
            }
            asked.get() shouldBeGreaterThan 2
            val cancellation = ended.await()
            (cancellation is CancellationException) shouldBe true
            return cancellation!!.suppressed.map { it.message }
        }
        errors { IllegalArgumentException("cannot ask $it") } shouldBe listOf("cannot ask 1", "cannot drop the answer")
        errors { AssertionError("cannot ask $it") } shouldBe listOf("cannot ask 1", "cannot drop the answer")
        val io = failure(AdbcStatus.IO)
        errors { if (it == 1) failure(AdbcStatus.INVALID_STATE) else io } shouldBe
            listOf(io.message, "cannot drop the answer")
        errors { failure(AdbcStatus.INVALID_STATE) } shouldBe listOf("cannot drop the answer")
    }

    test("a call that its driver cannot cancel ends behind its cancelled caller, and drops its result [ADB-24]") {
        val waiting = Waiting()
        val dropped = CompletableDeferred<String>()
        coroutineScope {
            val job = launch(Dispatchers.Default) {
                val drop: (String) -> Unit = { dropped.complete(it) }
                calling(Dispatchers.IO, drop, mayEndLate = true) { call ->
                    call.cancellable({ throw failure(AdbcStatus.NOT_IMPLEMENTED) }) { waiting.await() }
                    "answer"
                } shouldBe "answer"
            }
            waiting.entered.await()
            job.cancelAndJoin() // though the call still waits
        }
        dropped.isCompleted shouldBe false
        waiting.letGo()
        dropped.await() shouldBe "answer"
    }

    test("a call is waited for if one of its cancel actions works [ADB-24]") {
        val waiting = Waiting()
        val dropped = CompletableDeferred<String>()
        coroutineScope {
            val job = launch(Dispatchers.Default) {
                val drop: (String) -> Unit = { dropped.complete(it) }
                calling(Dispatchers.IO, drop, mayEndLate = true) { call ->
                    val refused: () -> Unit = { throw failure(AdbcStatus.NOT_IMPLEMENTED) }
                    call.cancellable(refused, waiting::letGo) { waiting.await() }
                    "answer"
                } shouldBe "answer"
            }
            waiting.entered.await()
            job.cancelAndJoin()
        }
        dropped.isCompleted shouldBe true
    }

    test("a cancellation runs all cancel actions, even if the first one fails [ADB-24]") {
        val waiting = Waiting()
        coroutineScope {
            val job = launch(Dispatchers.Default) {
                calling(Dispatchers.IO, {}) { call ->
                    call.cancellable({ error("cannot") }, waiting::letGo) { waiting.await() }
                }
            }
            waiting.entered.await()
            job.cancel()
            val ends = job.ends()
            waiting.letGo()
            ends shouldBe true
        }
    }

    test("a cancelled call that is queued in its dispatcher ends at once, and is never made [ADB-24]") {
        Executors.newSingleThreadExecutor().asCoroutineDispatcher().use { one ->
            val waiting = Waiting()
            val made = AtomicInteger()
            coroutineScope {
                val first = launch(Dispatchers.Default) { calling(one, {}) { waiting.await() } }
                waiting.entered.await()
                val queued = launch(start = CoroutineStart.UNDISPATCHED) { calling(one, {}) { made.incrementAndGet() } }
                queued.cancel()
                val ends = queued.ends()
                waiting.letGo()
                ends shouldBe true
                first.join()
            }
            calling(one, {}) { made.get() } shouldBe 0
        }
    }

    test("a call runs in the caller's coroutine context [ADB-24]") {
        val local = ThreadLocal<String>()
        withContext(local.asContextElement("request 7") + CoroutineName("mine")) {
            calling(Dispatchers.IO, {}) { local.get() } shouldBe "request 7"
        }
    }

    test("a call on a dispatcher that was shut down throws IllegalStateException [ADB-24]") {
        val gone = Executors.newSingleThreadExecutor().asCoroutineDispatcher().also { it.close() }
        shouldThrow<IllegalStateException> { calling(gone, {}) {} }
            .cause.let { it is CancellationException } shouldBe true
    }

    test("a CancellationException of the call itself is not reported as a dispatcher's shutdown [ADB-24]") {
        runTest {
            val own = CancellationException("a time-out within the call")
            shouldThrow<CancellationException> { calling<Unit>(Dispatchers.IO, {}) { throw own } }
                .message shouldBe own.message
        }
    }
})
