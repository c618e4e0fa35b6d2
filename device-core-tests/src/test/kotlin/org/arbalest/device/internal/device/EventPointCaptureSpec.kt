// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.internal.lifetime.Shared
import org.arbalest.device.internal.memory.NativeHeap
import org.arbalest.device.spi.Answer
import org.arbalest.device.spi.Completion
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.FutureTask
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicReference
import kotlin.concurrent.thread

/**
 * Events that other code records while it captures a graph. IdlePeriodSpec and the contract of GPUs test captured
 * streams.
 */
class EventPointCaptureSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("a wait for an event that was recorded in a graph always fails, even if a later query says done [DEV-60]") {
        val driver = Captured()
        withPoint(driver, isRecordedHere = false) { point, keeper, letWait ->
            driver.answers += listOf(Answer.CANNOT_TELL, Answer.CAPTURED, Answer.DONE)
            point.isReady shouldBe false
            repeat(3) {
                shouldThrow<DeviceException> { letWait() }.run {
                    errno() shouldBe Errno.EINVAL
                    message shouldContain
                        "the event 0x4d of ${point.device} was recorded in a stream that was being captured"
                }
            }
            shouldThrow<DeviceException> { SyncEventImpl.synchronize(point, keeper) }.errno() shouldBe Errno.EINVAL
            point.isReady shouldBe false
            point.isSeenDone shouldBe false
            driver.answers.toList() shouldBe listOf(Answer.DONE) // not queried: of an earlier recording
        }
    }

    test("of two threads that query an event recorded in a graph at once, neither sees it done [DEV-60]") {
        val driver = Captured()
        withPoint(driver, isRecordedHere = false) { point, _, _ ->
            driver.answers += listOf(Answer.CAPTURED, Answer.DONE)
            val first = FutureTask { point.isReady }.also { driver.stop(it) }
            val second = FutureTask { point.isReady }
            val later = thread(block = second::run)
            eventually("the second thread waits for the first") { later.state == Thread.State.BLOCKED }
            driver.goOn()
            first.get(5, SECONDS) shouldBe false
            second.get(5, SECONDS) shouldBe false
            driver.answers.toList() shouldBe listOf(Answer.DONE)
        }
    }

    test("a pending wait fails once its event turns out to have been recorded in a graph [DEV-24, DEV-60]") {
        for (signal in listOf(Completion::complete, Completion::captured)) {
            val driver = Captured()
            withPoint(driver, isRecordedHere = false) { point, keeper, _ ->
                driver.answers += Answer.CANNOT_TELL
                SyncEventImpl.completion(point, keeper).toCompletableFuture().run {
                    isDone shouldBe false
                    driver.answers += if (signal == Completion::complete) listOf(Answer.CAPTURED, Answer.DONE)
                    else listOf(Answer.DONE)
                    signal(driver.waiting.remove())
                    shouldThrow<ExecutionException> { get(5, SECONDS) }.cause.shouldBeInstanceOf<DeviceException>()
                        .errno() shouldBe Errno.EINVAL
                }
                point.isReady shouldBe false
                driver.answers.toList() shouldBe listOf(Answer.DONE)
            }
        }
    }

    test("a wait for the library's own event goes on when the driver reports a capture [DEV-24, DEV-60]") {
        val driver = Captured()
        withPoint(driver, isRecordedHere = true) { point, keeper, _ ->
            driver.answers += listOf(Answer.NOT_READY, Answer.NOT_READY, Answer.DONE)
            SyncEventImpl.completion(point, keeper).toCompletableFuture().run {
                driver.waiting.remove().captured()
                get(5, SECONDS)
            }
            driver.answers.size shouldBe 0
        }
    }

    test("the library's own event is queried again, although the driver reported a capture [DEV-24]") {
        val driver = Captured()
        withPoint(driver, isRecordedHere = true) { point, _, letWait ->
            driver.answers += listOf(Answer.CAPTURED, Answer.DONE)
            shouldThrow<IllegalStateException> { letWait() }.message shouldBe "a queue waits"
            point.isReady shouldBe true
        }
    }
})

private fun withPoint(driver: Captured, isRecordedHere: Boolean, block: (EventPoint, Shared, () -> Unit) -> Unit) {
    val device = DeviceImpl(DeviceType(1005), 0, driver)
    val cell = NativeHeap.allocate(8)
    NativeHeap.putLong(cell, 0x4d)
    val keeper = DeviceQueue(device, driver, 0, DeviceQueue.Kind.BORROWED)
    val point = EventPoint(device, driver, cell, isRecordedHere)
    block(point, keeper) { point.letWait(driver, device, 0, keeper) }
    keeper.release()
    NativeHeap.free(cell)
}

private class Captured : NoMemoryDriver() {
    val answers = ConcurrentLinkedQueue<Answer>()
    val waiting = ConcurrentLinkedQueue<Completion>()

    private val stopped = AtomicReference<CountDownLatch?>()
    private val asked = CountDownLatch(1)
    private val open = CountDownLatch(1)

    /** Runs [asker] on its own thread until it queries the event. The query returns after [goOn]. */
    fun stop(asker: FutureTask<*>) {
        stopped.set(open)
        thread(block = asker::run)
        check(asked.await(5, SECONDS)) { "the event was not queried within 5 seconds" }
    }

    fun goOn(): Unit = open.countDown()

    override fun ask(event: Long): Answer = answers.remove().also {
        stopped.getAndSet(null)?.run {
            asked.countDown()
            check(await(5, SECONDS)) { "goOn was not called within 5 seconds" }
        }
    }

    override fun onComplete(event: Long, completion: Completion) {
        waiting += completion
    }

    override fun waitFor(queue: Long, event: Long) = error("a queue waits")
}
