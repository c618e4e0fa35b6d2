// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.sharing

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.MemoryAllocator
import org.arbalest.device.internal.device.IdleTask
import org.arbalest.device.internal.lifetime.Counts
import org.arbalest.device.spi.ProcessSharing
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.eventually
import java.util.UUID
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executor
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger

/** Tests of an allocation of another process that several users open. */
class OpenedMemorySpec : FunSpec({
    extension(ResourceCountersExtension)

    val process = UUID(1, 2)

    fun Counting.use(): OpenedMemory = OpenedMemory.open(this, process, byteArrayOf(7), 100)

    fun <T> withoutIdlePeriod(block: () -> T): T {
        Counts.WAITS.increment()
        try {
            return block()
        } finally {
            Counts.WAITS.decrement()
        }
    }

    test("an allocation opens once for all its users and closes after the last; each user is notified [IPC-01]") {
        val sharing = Counting()
        val calls = List(3) { AtomicInteger() }
        withoutIdlePeriod {
            val users = calls.map { sharing.use() }
            users.map { it.base() }.toSet() shouldBe setOf(1000L)
            sharing.opened.get() shouldBe 1
            for (i in 0..1) {
                users[i].close { calls[i].incrementAndGet() }
                eventually("the user is notified while others have it open") { calls[i].get() == 1 }
            }
            users[2].close { calls[2].incrementAndGet() }
        }
        eventually("the allocation is closed") { calls[2].get() == 1 }
        sharing.closed.get() shouldBe 1
        calls.map { it.get() } shouldBe listOf(1, 1, 1)
        OpenedMemory.open(sharing, process, byteArrayOf(7), 100).close {}
        sharing.opened.get() shouldBe 2
        eventually("the allocation is closed again") { sharing.closed.get() == 2 }
    }

    test("an allocation that is reopened before an idle period stays open, and its former user is notified [DEV-28]") {
        val sharing = Counting()
        val (first, second) = List(2) { AtomicInteger() }
        val again = withoutIdlePeriod {
            sharing.use().close { first.incrementAndGet() }
            sharing.use().also { eventually("the user is notified") { first.get() == 1 } }
        }
        val idle = CountDownLatch(1)
        IdleTask.run({ idle.countDown() }) {}
        idle.await(5, SECONDS) shouldBe true // tasks that waited for an idle period have now run
        sharing.run { opened.get() to closed.get() } shouldBe (1 to 0)
        again.close { second.incrementAndGet() }
        eventually("the allocation is closed") { second.get() == 1 }
        sharing.run { opened.get() to closed.get() } shouldBe (1 to 1)
    }

    test("after an opening that failed, the next user opens the allocation [IPC-03]") {
        val sharing = Counting()
        sharing.opening = { throw DeviceException(Errno.EINVAL, "the allocation is gone") }
        repeat(2) { shouldThrow<DeviceException> { sharing.use() } }
        sharing.opened.get() shouldBe 2
        sharing.opening = {}
        sharing.use().close {}
        eventually("the allocation is closed") { sharing.closed.get() == 1 }
    }

    test("a user that comes during the opening waits for it, and shares the allocation [IPC-03]") {
        val sharing = Counting()
        val (isOpening, mayOpen) = List(2) { CountDownLatch(1) }
        sharing.opening = {
            isOpening.countDown()
            check(mayOpen.await(5, SECONDS))
        }
        val ownThread = Executor { Thread.ofPlatform().daemon().start(it) } // a waiting user does not block the other
        val first = CompletableFuture.supplyAsync({ sharing.use() }, ownThread)
        isOpening.await(5, SECONDS) shouldBe true
        lateinit var thread: Thread
        val began = CountDownLatch(1)
        val second = CompletableFuture.supplyAsync({
            thread = Thread.currentThread()
            began.countDown()
            sharing.use().also { it.base() shouldBe 1000 }
        }, ownThread)
        began.await(5, SECONDS) shouldBe true
        eventually("the second user waits or is done") { thread.state == Thread.State.WAITING || second.isDone }
        second.isDone shouldBe false
        mayOpen.countDown()
        listOf(first, second).map { it.get(5, SECONDS).base() } shouldBe listOf(1000L, 1000L)
        sharing.opened.get() shouldBe 1
        val calls = AtomicInteger()
        listOf(first, second).forEach { it.get().close { calls.incrementAndGet() } }
        eventually("both users are notified") { calls.get() == 2 }
        sharing.closed.get() shouldBe 1
    }

    test("a user is notified when the allocation is closed, and not after a failed attempt [IPC-03, DEV-26]") {
        for (errno in listOf(Errno.EAGAIN, Errno.EIO)) {
            val sharing = Counting()
            val calls = AtomicInteger()
            sharing.closing = { if (sharing.closed.get() < 5) throw DeviceException(errno, "refused") }
            sharing.use().close {
                sharing.closed.get() shouldBe 5
                calls.incrementAndGet()
            }
            eventually("the user is notified") { calls.get() == 1 }
            sharing.closed.get() shouldBe 5
        }
        val sharing = Counting()
        val calls = AtomicInteger()
        sharing.closing = { throw DeviceException(Errno.EIO, "never") }
        sharing.use().close { calls.incrementAndGet() }
        eventually("the close was tried ten times") { sharing.closed.get() == 10 }
        val again = sharing.use() // the allocation is still open
        sharing.opened.get() shouldBe 1
        eventually("the first user is notified while another user has the allocation open") { calls.get() == 1 }
        sharing.closing = {}
        again.close { calls.incrementAndGet() }
        eventually("the second user is notified after the close") { calls.get() == 2 }
    }
})

/** A fake that counts the calls of open and of close. */
private class Counting : ProcessSharing {
    val opened = AtomicInteger()
    val closed = AtomicInteger()

    @Volatile
    var opening: () -> Unit = {}

    @Volatile
    var closing: () -> Unit = {}

    override fun open(handle: ByteArray, bytes: Long): Long {
        opened.incrementAndGet()
        opening()
        return 1000
    }

    override fun close(handle: ByteArray, base: Long, bytes: Long) {
        check(base == 1000L && bytes == 100L)
        closed.incrementAndGet()
        closing()
    }

    override fun memory(): MemoryAllocator = error("unexpected call: this test allocates no memory")

    override fun prepare(address: Long): ProcessSharing.Shareable =
        error("unexpected call: this test shares no memory")

    override fun export(memory: ProcessSharing.Shareable): ByteArray =
        error("unexpected call: this test exports no memory")
}
