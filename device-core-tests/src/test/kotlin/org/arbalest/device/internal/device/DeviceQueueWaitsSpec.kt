// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceType
import org.arbalest.support.ResourceCountersExtension
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.concurrent.thread

/** Queries of several threads for the work of other code that a queue waits for. */
class DeviceQueueWaitsSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun <T> onQueue(driver: Stopped, block: (DeviceStreamImpl, DeviceQueue, RecordedEvent) -> T): T {
        val device = DeviceImpl(DeviceType(1004), 0, driver)
        val event = RecordedEvent.adopt(device, driver, 7)
        try {
            return DeviceStreamImpl.own(device, driver).use { stream ->
                val queue = DeviceStreamImpl.unwrap(stream).hold()
                try {
                    block(DeviceStreamImpl.unwrap(stream), queue, event)
                } finally {
                    queue.release()
                }
            }
        } finally {
            event.release()
        }
    }

    test("while one thread queries a busy queue, another thread does not find its work done [DEV-33]") {
        val driver = Stopped()
        onQueue(driver) { stream, queue, event ->
            stream.waitFor(event.point, event)
            driver.query = Gate()
            var first = true
            val querying = thread { first = queue.isOthersWorkDone }
            driver.query!!.awaitEntered()
            val gate = driver.query
            driver.query = null
            queue.isOthersWorkDone shouldBe false
            gate!!.open()
            querying.join()
            first shouldBe false
            driver.isIdle = true
            queue.isOthersWorkDone shouldBe true
            driver.isIdle = false
            queue.isOthersWorkDone shouldBe true // without a query: no wait followed
        }
    }

    test("a wait that is queued after another thread has seen the queue idle is not forgotten [DEV-33]") {
        val driver = Stopped()
        onQueue(driver) { stream, queue, event ->
            driver.queuing = Gate()
            val waiting = thread { stream.waitFor(event.point, event) }
            driver.queuing!!.awaitEntered()
            driver.isIdle = true
            queue.isOthersWorkDone shouldBe true
            driver.queuing!!.open()
            waiting.join()
            driver.isIdle = false
            queue.isOthersWorkDone shouldBe false
        }
    }
})

private class Gate {
    private val entered = CountDownLatch(1)
    private val opened = CountDownLatch(1)

    fun pass() {
        entered.countDown()
        check(opened.await(5, SECONDS)) { "the test did not open the gate within 5 seconds" }
    }

    fun awaitEntered() = check(entered.await(5, SECONDS)) { "no thread came to the gate within 5 seconds" }

    fun open() = opened.countDown()
}

/** A device whose event 7 never completes. A thread stops at the gates. */
private class Stopped : NoMemoryDriver() {
    @Volatile
    var isIdle = false

    @Volatile
    var query: Gate? = null

    @Volatile
    var queuing: Gate? = null

    override fun isIdle(queue: Long): Boolean {
        query?.pass()
        return isIdle
    }

    override fun isReady(event: Long) = false

    override fun checkEvent(event: Long) = Unit

    override fun waitFor(queue: Long, event: Long) {
        queuing?.pass()
    }
}
