// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.internal.cpu.CpuProvider
import org.arbalest.device.internal.lifetime.Shared
import org.arbalest.device.spi.Completion
import org.arbalest.device.spi.DeviceDriver
import org.arbalest.device.support.Balanced
import java.util.concurrent.ExecutionException
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger

/** Waits on a driver that signals completion, but reports the event as not ready. */
class WaitSpec : FunSpec({
    extension(Balanced)

    test("a wait goes on if the driver signals an event that is not ready, and completes once [DEV-24]") {
        for (failing in listOf(false, true)) {
            val driver = Undecided()
            RecordedEvent.adopt(DeviceImpl(DeviceType.CPU, -1, driver), driver, 7).let { event ->
                val calls = AtomicInteger()
                val stage = SyncEventImpl.completion(event.point, event)
                    .whenComplete { _, _ -> calls.incrementAndGet() }
                driver.completion.complete()
                driver.completion.complete()
                driver.untilAsked(5)
                stage.isDone shouldBe false
                driver.isGone shouldBe false
                event.release() // the wait still references the event
                driver.isGone shouldBe false
                if (failing) {
                    driver.failure = DeviceException(Errno.EIO, "the device has failed")
                    shouldThrow<ExecutionException> { stage.get(5, SECONDS) }.cause?.message shouldBe
                        "the device has failed"
                } else {
                    driver.isOver = true
                    stage.get(5, SECONDS)
                }
                calls.get() shouldBe 1
                driver.until { driver.isGone }
            }
        }
    }

    test(
        "if the driver signals nothing, work keeps its memory until its event is done, even if a wait fails [DEV-24]",
    ) {
        val driver = Undecided()
        driver.refusal = DeviceException(Errno.EIO, "cannot notify")
        driver.waiting = DeviceException(Errno.EAGAIN, "another thread captures a graph")
        val event = RecordedEvent.adopt(DeviceImpl(DeviceType.CPU, -1, driver), driver, 7)
        val memory = Memory()
        val error = shouldThrow<DeviceException> { DeviceStreamImpl.keepUntil(event, memory) }
        error.message shouldBe "cannot notify"
        error.suppressed.single().message shouldBe "another thread captures a graph"
        event.release()
        memory.release()
        driver.untilAsked(5)
        memory.isFree shouldBe false
        driver.isOver = true
        driver.until { memory.isFree && driver.isGone }
    }

    test("if the driver signals nothing, work releases its memory when its event has failed [DEV-19]") {
        val driver = Undecided()
        driver.refusal = DeviceException(Errno.EIO, "cannot notify")
        driver.waiting = DeviceException(Errno.EIO, "the device has failed")
        val event = RecordedEvent.adopt(DeviceImpl(DeviceType.CPU, -1, driver), driver, 7)
        val memory = Memory()
        shouldThrow<DeviceException> { DeviceStreamImpl.keepUntil(event, memory) }.message shouldBe "cannot notify"
        memory.release()
        memory.isFree shouldBe true
        event.release()
        driver.isGone shouldBe true
    }
})

private class Memory : Shared() {
    @Volatile var isFree = false

    override fun free() {
        isFree = true
    }
}

/** A driver of one event, whose state is unknown until the test decides. */
private class Undecided(cpu: DeviceDriver = CpuProvider().open(DeviceType.CPU, -1)) : DeviceDriver by cpu {
    lateinit var completion: Completion

    @Volatile var isOver = false

    @Volatile var isGone = false

    @Volatile var failure: DeviceException? = null
    var refusal: DeviceException? = null
    var waiting: DeviceException? = null
    private val asked = AtomicInteger()

    override fun isReady(event: Long): Boolean {
        asked.incrementAndGet()
        failure?.let { throw it }
        return isOver
    }

    override fun onComplete(event: Long, completion: Completion) {
        refusal?.let { throw it }
        this.completion = completion
    }

    override fun synchronizeEvent(event: Long) {
        waiting?.let { throw it }
    }

    override fun destroyEvent(event: Long) {
        isGone = true
    }

    /** Waits for this many further queries. */
    fun untilAsked(times: Int) = asked.get().let { before -> until { asked.get() >= before + times } }

    fun until(condition: () -> Boolean) {
        val patience = System.nanoTime() + SECONDS.toNanos(5)
        while (!condition()) {
            check(System.nanoTime() < patience) { "the condition did not become true within 5 seconds" }
            Thread.yield()
        }
    }
}
