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

/** How long what work uses is held that is given up. */
class AbandonedWorkSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun Uncertain.queue() = DeviceQueue(DeviceImpl(DeviceType(1005), 0, this), this, 7, DeviceQueue.Kind.BORROWED)

    test(
        "what work uses is held until its queue is past it, also where nobody can say whether that is captured " +
            "[DEV-40, DEV-60]",
    ) {
        val driver = Uncertain()
        val queue = driver.queue()
        val used = Freed()
        AbandonedWork.await(queue, longArrayOf(7), used)
        used.release()
        eventually("it is asked for again and again") { driver.asked.get() > 3 }
        used.freed.get() shouldBe 0
        driver.isPast = true
        eventually("it is let go") { used.freed.get() == 1 }
        queue.release()
    }

    test(
        "what is kept without a wait is let go, and there is an idle period again, also where nobody can say whether " +
            "its queue is captured [DEV-40, DEV-60]",
    ) {
        val driver = Uncertain()
        driver.isPast = true
        val queue = driver.queue()
        val used = Freed()
        AbandonedWork.keep(queue, used)
        used.release()
        eventually("it is let go") { used.freed.get() == 1 }
        queue.release()
        eventually("nobody waits") { Counts.WAITS.sum() == 0L }
        val idle = CountDownLatch(1)
        IdleTask.run({ idle.countDown() }) {}
        idle.await(5, SECONDS) shouldBe true
    }
})

/** A device that cannot say whether a queue is captured, and says that it is past its work when the test does. */
private class Uncertain : NoMemoryDriver() {
    @Volatile
    var isPast = false
    val asked = AtomicInteger()

    override fun isCaptured(queue: Long): Boolean =
        throw DeviceException(Errno.EIO, "the device is gone, or cannot be changed to")

    override fun record(queue: Long): Long = throw DeviceException(Errno.EAGAIN, "there is no event now")

    override fun synchronizeQueue(queue: Long) {
        asked.incrementAndGet()
        if (!isPast) throw DeviceException(Errno.EAGAIN, "nobody can say now")
    }
}

private class Freed : Shared() {
    val freed = AtomicInteger()

    override fun free() {
        freed.incrementAndGet()
    }
}
