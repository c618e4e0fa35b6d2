// SPDX-License-Identifier: Apache-2.0
package org.arbalest.coroutines

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.FlowCollector
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.job
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runInterruptible
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds

/** The cancellation of a flow that was stopped. The test advances the time after the stop. */
class UpstreamSpec : FunSpec({
    test("a stopped flow that waits is cancelled after exactly 20 ms in which none of its code ran [OWN-16]") {
        val collection = Collection(virtually = true) { awaitCancellation() }
        collection.stop()
        collection.time.pass(19.milliseconds)
        collection.isCancelled shouldBe false
        collection.time.pass(1.milliseconds)
        collection.isCancelled shouldBe true
    }

    test("a stopped flow with waits below 20 ms reaches its emit, which is rejected [OWN-16]") {
        val collection = Collection(virtually = true) {
            repeat(40) { delay(15) }
            emit(1)
        }
        collection.stop()
        collection.time.pass(1.seconds)
        collection.emitted shouldContainExactly listOf(1)
        collection.isCancelled shouldBe true // by the exception of the refused emit
    }

    test("a stopped flow that polls every 10 ms is cancelled after exactly one second [OWN-16]") {
        val collection = Collection(virtually = true) { while (true) delay(10) }
        collection.stop()
        collection.time.pass(999.milliseconds)
        collection.isCancelled shouldBe false
        collection.time.pass(1.milliseconds)
        collection.isCancelled shouldBe true
    }

    test("a stopped flow that runs in another dispatcher is cancelled after exactly one second [OWN-16]") {
        val waits = CountDownLatch(1)
        val interrupted = CompletableFuture<Boolean>()
        val collection = Collection(virtually = true) {
            runInterruptible(Dispatchers.IO) {
                waits.countDown()
                interrupted.complete(
                    runCatching { CountDownLatch(1).await() }.exceptionOrNull() is InterruptedException,
                )
            }
        }
        waits.reached()
        collection.stop()
        collection.time.pass(999.milliseconds)
        collection.isCancelled shouldBe false
        collection.time.pass(1.milliseconds)
        interrupted.get(5, TimeUnit.SECONDS) shouldBe true
    }

    test("stopped code that runs for more than a second reaches its emit, which is rejected [OWN-16]") {
        val gate = Gate()
        val collection = Collection {
            gate.pass()
            emit(1)
        }
        gate.reached()
        collection.stop()
        collection.time.pass(9999.milliseconds)
        gate.open()
        collection.join()
        collection.emitted shouldContainExactly listOf(1)
    }

    test("stopped code that runs for more than a second is cancelled at its next suspension [OWN-16]") {
        val gate = Gate()
        val collection = Collection {
            gate.pass()
            awaitCancellation()
        }
        gate.reached()
        collection.stop()
        collection.time.pass(5.seconds)
        collection.isCancelled shouldBe false
        gate.open()
        collection.join()
    }

    test("a stopped thread that blocks until an interrupt is interrupted after exactly ten seconds [OWN-16]") {
        val waits = CountDownLatch(1)
        val collection = Collection {
            runInterruptible {
                waits.countDown()
                CountDownLatch(1).await()
            }
        }
        waits.reached()
        collection.stop()
        collection.time.pass(9999.milliseconds)
        collection.isCancelled shouldBe false
        collection.time.pass(1.milliseconds)
        collection.join()
    }

    test("a stopped flow that blocks for ten seconds is cancelled, and its next batch is lost [OWN-16]") {
        val gate = Gate()
        val collection = Collection {
            gate.pass()
            emit(1)
        }
        gate.reached()
        collection.stop()
        collection.time.pass(10.seconds)
        collection.isCancelled shouldBe true
        gate.open()
        collection.join()
        collection.emitted shouldContainExactly listOf()
    }

    test("a stopped flow that waits is cancelled even if all threads of Dispatchers.Default are blocked [OWN-16]") {
        val waits = CountDownLatch(1)
        val collection = Collection(clock = Clock.REAL) {
            waits.countDown()
            awaitCancellation()
        }
        waits.reached()
        val gate = Gate()
        val threads = maxOf(2, Runtime.getRuntime().availableProcessors())
        val blocked = CountDownLatch(threads)
        val blockers = List(threads) {
            CoroutineScope(Dispatchers.Default).launch {
                blocked.countDown()
                gate.pass()
            }
        }
        try {
            blocked.reached()
            collection.stop()
            eventually("the flow is cancelled") { collection.isCancelled }
        } finally {
            gate.open()
            blockers.joinAll()
        }
        collection.join()
    }

    test("a flow whose parent is cancelled is cancelled immediately, stopped or not, suspended or not [OWN-16]") {
        for (stopped in listOf(false, true)) for (suspended in listOf(false, true)) {
            val gate = Gate()
            val parent = Job()
            val collection = Collection(parent) {
                if (suspended) withContext(Dispatchers.IO) { runInterruptible { gate.pass() } } else gate.pass()
                emit(1)
            }
            gate.reached()
            if (stopped) collection.stop()
            parent.cancel()
            collection.isCancelled shouldBe true
            gate.open()
            withTimeout(5.seconds) { parent.cancelAndJoin() }
            collection.emitted shouldContainExactly listOf()
        }
    }
})

/** A point where code blocks, without suspending, until the test opens it. */
private class Gate {
    private val reached = CountDownLatch(1)
    private val opened = CountDownLatch(1)

    fun pass() {
        reached.countDown()
        opened.reached()
    }

    fun reached() = reached.reached()

    fun open() = opened.countDown()
}

/** A flow that a sink collects, on other threads or on the test's thread in virtual time. */
private class Collection(
    parent: Job = Job(),
    virtually: Boolean = false,
    clock: Clock? = null,
    block: suspend FlowCollector<Int>.() -> Unit,
) {
    val time = HeldTime()
    val emitted = CopyOnWriteArrayList<Int>()
    private val job = CompletableFuture<Job>()
    private val upstream: Upstream

    init {
        val dispatcher = if (virtually) time.dispatcher else Dispatchers.Default
        upstream = Upstream.start(CoroutineScope(dispatcher + (clock ?: time.clock) + parent)) { upstream ->
            job.complete(currentCoroutineContext().job)
            flow(block).collect {
                emitted += it
                upstream.refusal()?.let { refusal -> throw refusal }
            }
        }
        if (virtually) time.pass(Duration.ZERO)
    }

    fun stop() = upstream.stop()

    val isCancelled: Boolean get() = job.get(5, TimeUnit.SECONDS).isCancelled

    suspend fun join() = withTimeout(5.seconds) { job.get(5, TimeUnit.SECONDS).join() }
}
