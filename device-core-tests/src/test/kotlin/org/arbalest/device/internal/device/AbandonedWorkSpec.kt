// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Errno
import org.arbalest.device.internal.lifetime.Counts
import org.arbalest.device.internal.lifetime.Shared
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger

/** The resources of abandoned work, and how long they are held. */
class AbandonedWorkSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun Uncertain.queue() = DeviceQueue(DeviceImpl(DeviceType(1005), 0, this), this, 7, DeviceQueue.Kind.BORROWED)

    test(
        "abandoned work holds its resources until its queue passes it, also in an unknown capture state [DEV-40, " +
            "DEV-60]",
    ) {
        val driver = Uncertain()
        val queue = driver.queue()
        val used = Freed()
        AbandonedWork.await(queue, longArrayOf(7), used)
        used.release()
        eventually("the queue is queried repeatedly") { driver.asked.get() > 3 }
        used.freed.get() shouldBe 0
        driver.isPast = true
        eventually("the resource is released") { used.freed.get() == 1 }
        queue.release()
    }

    test(
        "resources kept without a wait are released, and idle periods return, also in an unknown capture state " +
            "[DEV-40, DEV-60]",
    ) {
        val driver = Uncertain()
        driver.isPast = true
        val queue = driver.queue()
        val used = Freed()
        AbandonedWork.keep(queue, used)
        used.release()
        eventually("the resource is released") { used.freed.get() == 1 }
        queue.release()
        eventually("no wait is left") { Counts.WAITS.sum() == 0L }
        val idle = CountDownLatch(1)
        IdleTask.run({ idle.countDown() }) {}
        idle.await(5, SECONDS) shouldBe true
    }
})

/** A device that cannot report whether a queue is captured, and whose queue passes its work when the test says so. */
private class Uncertain : NoMemoryDriver() {
    @Volatile
    var isPast = false
    val asked = AtomicInteger()

    override fun isCaptured(queue: Long): Boolean =
        throw DeviceException(Errno.EIO, "cannot query the capture: the device is lost")

    override fun record(queue: Long): Long = throw DeviceException(Errno.EAGAIN, "no event is available now")

    override fun synchronizeQueue(queue: Long) {
        asked.incrementAndGet()
        if (!isPast) throw DeviceException(Errno.EAGAIN, "the state of the queue is unknown now")
    }
}

private class Freed : Shared() {
    val freed = AtomicInteger()

    override fun free() {
        freed.incrementAndGet()
    }
}
