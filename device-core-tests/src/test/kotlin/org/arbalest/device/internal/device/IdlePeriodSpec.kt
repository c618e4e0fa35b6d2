// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.longs.shouldBeGreaterThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.internal.lifetime.Counts
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.locks.ReentrantLock
import kotlin.concurrent.thread

/** Idle tasks, and the conditions under which their steps run. */
class IdlePeriodSpec : FunSpec({
    extension(ResourceCountersExtension)

    /** Waits until the idle thread has looked for an idle period, has found none, and sleeps. */
    fun awaitLook(): Unit = eventually("the idle thread sleeps") {
        Thread.getAllStackTraces().any { (thread, frames) ->
            thread.name == "arbalest-idle" && frames.any { it.methodName == "sleep" }
        }
    }

    fun <T> busy(block: () -> T): T {
        Counts.WAITS.increment()
        try {
            return block()
        } finally {
            Counts.WAITS.decrement()
        }
    }

    fun refused(errno: Int): Nothing = throw DeviceException(errno, "a call is refused")

    test("no step runs while a thread waits for an event, and each step has its own idle period [DEV-28]") {
        val done = AtomicInteger()
        busy {
            IdlePeriod.await {
                if (done.incrementAndGet() == 1) Counts.WAITS.increment()
                done.get() == 3
            }
            awaitLook()
            done.get() shouldBe 0
        }
        eventually("the first step is done") { done.get() == 1 }
        awaitLook()
        done.get() shouldBe 1
        Counts.WAITS.decrement()
        eventually("all steps are done") { done.get() == 3 }
    }

    test("hurry runs all pending tasks, also the one that the idle thread is about to run [DEV-28]") {
        val begun = CountDownLatch(1)
        val gate = CountDownLatch(1)
        val by = ConcurrentLinkedQueue<Thread>()
        val hurrying = busy {
            IdlePeriod.await {
                begun.countDown()
                gate.await()
                true
            }
            awaitLook()
            thread { IdlePeriod.hurry() }.also {
                begun.await()
                IdlePeriod.await { by.add(Thread.currentThread()) }
            }
        }
        try {
            eventually("the idle thread waits for the lock") {
                Thread.getAllStackTraces().any { (thread, frames) ->
                    thread.name == "arbalest-idle" && frames.any { it.className == ReentrantLock::class.java.name }
                }
            }
        } finally {
            gate.countDown()
        }
        hurrying.join()
        by.toList() shouldBe listOf(hurrying)
    }

    test(
        "no task runs while a stream has work or is captured; a captured stream is not queried for work [DEV-28, " +
            "DEV-60]",
    ) {
        val driver = Idle()
        DeviceImpl(DeviceType(1004), 0, driver).createStream().use { stream ->
            val done = CountDownLatch(1)
            driver.isIdle = false
            IdlePeriod.await {
                done.countDown()
                true
            }
            awaitLook()
            done.count shouldBe 1
            stream.handle()
            driver.isCaptured = true
            val asked = driver.asked.get()
            driver.isIdle = true
            val looked = driver.looked.get()
            eventually("the capture is queried again") { driver.looked.get() > looked + 1 }
            (driver.asked.get() <= asked + 1) shouldBe true
            done.count shouldBe 1
            shouldThrow<IllegalStateException> { stream.record() }.message shouldContain "is being captured"
            driver.isCaptured = false
            done.await(5, SECONDS) shouldBe true
            stream.record().close()
        }
    }

    test("a task that fails with EAGAIN runs again in another idle period, and other tasks run meanwhile [DEV-26]") {
        val order = ConcurrentLinkedQueue<String>()
        val tries = AtomicInteger()
        busy {
            IdlePeriod.await {
                order += "refused"
                if (tries.incrementAndGet() < 3) refused(Errno.EAGAIN)
                true
            }
            IdlePeriod.await {
                order += "other"
                true
            }
        }
        eventually("both tasks are done") { order.size == 4 }
        order.toList() shouldContainExactly listOf("refused", "other", "refused", "refused")
    }

    test("a task that fails for good, or by a defect, runs once and delays no other task [DEV-26]") {
        val done = ConcurrentLinkedQueue<String>()
        IdlePeriod.await {
            done += "failed"
            refused(Errno.EIO)
        }
        IdlePeriod.await {
            done += "defect"
            error("a defect")
        }
        val last = CountDownLatch(2)
        repeat(2) {
            IdlePeriod.await {
                last.countDown()
                true
            }
        }
        last.await(5, SECONDS) shouldBe true
        done.sorted() shouldContainExactly listOf("defect", "failed")
    }

    test("hurry runs all steps at once, and leaves a task that fails with EAGAIN to an idle period [DEV-28]") {
        val steps = AtomicInteger()
        val tries = AtomicInteger()
        busy {
            IdlePeriod.await { steps.incrementAndGet() == 5 }
            IdlePeriod.await {
                if (tries.incrementAndGet() == 1) refused(Errno.EAGAIN)
                true
            }
            IdlePeriod.await {
                steps.addAndGet(100)
                refused(Errno.EIO)
            }
            val before = IdlePeriod.steps()
            IdlePeriod.hurry()
            steps.get() shouldBe 105
            tries.get() shouldBe 1
            IdlePeriod.steps() - before shouldBeGreaterThanOrEqual 6
            awaitLook()
            tries.get() shouldBe 1
        }
        eventually("the task runs again") { tries.get() == 2 }
    }

    test("a failing call is made ten times, not counting EAGAIN, and then its owner is notified once [DEV-26]") {
        val calls = AtomicInteger()
        val results = ConcurrentLinkedQueue<String>()
        IdleTask.run({ calls.incrementAndGet(); refused(Errno.EIO) }) { results += "${it?.message}" }
        eventually("the owner is notified") { results.isNotEmpty() }
        calls.get() shouldBe 10
        IdleTask.run({ if (calls.incrementAndGet() < 30) refused(Errno.EAGAIN) }) { results += "${it?.message}" }
        eventually("the second call succeeded") { results.size == 2 }
        calls.get() shouldBe 30
        results.toList() shouldContainExactly listOf("a call is refused", "null")
    }
})

/** A device whose queues have work, or are captured, when the test says so. */
private class Idle : NoMemoryDriver() {
    @Volatile
    var isIdle = true

    @Volatile
    var isCaptured = false
    val asked = AtomicInteger()
    val looked = AtomicInteger()

    override fun isIdle(queue: Long): Boolean {
        asked.incrementAndGet()
        return isIdle
    }

    override fun isCaptured(queue: Long): Boolean {
        looked.incrementAndGet()
        return isCaptured
    }
}
