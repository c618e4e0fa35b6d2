// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.types.shouldBeSameInstanceAs
import org.apache.spark.TaskKilledException
import java.io.IOException
import java.util.concurrent.Callable
import java.util.concurrent.CountDownLatch
import java.util.concurrent.ExecutionException
import java.util.concurrent.Executors
import java.util.concurrent.Future
import java.util.concurrent.TimeUnit.SECONDS
import kotlin.concurrent.thread

class SharedSpec : FunSpec({
    val events = mutableListOf<String>()
    val threads = Executors.newCachedThreadPool()

    fun note(event: String) {
        synchronized(events) { events += event }
    }

    beforeTest { events.clear() }
    afterSpec { threads.shutdownNow() }

    fun <T> start(call: () -> T): Future<T> = threads.submit(Callable { call() })

    /** Waits until a thread waits in [Shared]: it stands in a timed wait for a future. */
    fun awaitWaiting(thread: Thread) {
        val begin = System.nanoTime()
        while (thread.state != Thread.State.TIMED_WAITING) {
            check(System.nanoTime() - begin < 5e9) { "$thread waits for nothing within 5 s" }
            Thread.onSpinWait()
        }
    }

    test("users of one key share one value, which the last of them closes [SPK-23]") {
        val shared = Shared<String, Any>({ note("open $it").let { Any() } }, { note("close") })
        val uses = List(3) { shared.use("a") }
        val other = shared.use("b")
        uses.forEach { it.value() shouldBeSameInstanceAs uses[0].value() }
        events shouldContainExactly listOf("open a", "open b")
        uses[1].close()
        uses[1].close()
        uses[0].close()
        events shouldContainExactly listOf("open a", "open b")
        uses[2].close()
        events shouldContainExactly listOf("open a", "open b", "close")
        shared.use("a").close()
        other.close()
        events.size shouldBe 6
    }

    test("users that come during the open wait for it, and it fails for all of them but not for later ones [SPK-23]") {
        val begun = CountDownLatch(1)
        val goOn = CountDownLatch(1)
        val shared = Shared<String, String>({
            note("open")
            begun.countDown()
            check(goOn.await(5, SECONDS))
            if (events.size == 1) throw IllegalArgumentException("no such file") else "value"
        }, { note("close") })
        val first = start { shared.use("a") }
        begun.await(5, SECONDS) shouldBe true
        val failures = mutableListOf<Throwable>()
        val waiting = List(2) {
            thread { runCatching { shared.use("a") }.onFailure { synchronized(failures) { failures += it } } }
        }
        waiting.forEach(::awaitWaiting)
        goOn.countDown()
        shouldThrow<ExecutionException> { first.get(5, SECONDS) }.cause!!.message shouldBe "no such file"
        waiting.forEach { it.join(5000) }
        failures.map { it.message } shouldContainExactly
            List(2) { "opening a failed in another task that this one waited for: no such file" }
        events shouldContainExactly listOf("open")
        shared.use("a").close()
        events shouldContainExactly listOf("open", "open", "close")
    }

    test("a user that comes during the close opens a new value after it, even if the close fails [SPK-23]") {
        val begun = CountDownLatch(1)
        val goOn = CountDownLatch(1)
        val shared = Shared<String, Any>({ note("open").let { Any() } }, {
            if (events.size == 1) {
                begun.countDown()
                check(goOn.await(5, SECONDS))
                note("close fails")
                throw IllegalStateException("the disk is full")
            }
            note("close")
        })
        val use = shared.use("a")
        val closing = start { use.close() }
        begun.await(5, SECONDS) shouldBe true
        val next = thread { shared.use("a").close() }
        awaitWaiting(next)
        goOn.countDown()
        shouldThrow<ExecutionException> { closing.get(5, SECONDS) }.cause!!.message shouldBe "the disk is full"
        next.join(5000)
        events shouldContainExactly listOf("open", "close fails", "open", "close")
    }

    test("a user that is interrupted while it waits leaves no use behind [SPK-23]") {
        val begun = CountDownLatch(1)
        val goOn = CountDownLatch(1)
        val shared = Shared<String, Any>({
            begun.countDown()
            check(goOn.await(5, SECONDS))
            Any()
        }, { note("close") })
        val first = start { shared.use("a") }
        begun.await(5, SECONDS) shouldBe true
        var failed: Throwable? = null
        val waiting = thread { failed = runCatching { shared.use("a") }.exceptionOrNull() }
        awaitWaiting(waiting)
        waiting.interrupt()
        waiting.join(5000)
        (failed as TaskKilledException).reason() shouldBe "interrupted while it waited for a"
        goOn.countDown()
        first.get(5, SECONDS).close()
        events shouldContainExactly listOf("close")
    }

    test("many users at the same time never have two values of one key [SPK-23]") {
        var open = 0
        val shared = Shared<Int, Any>({
            synchronized(events) { check(++open == 1) { "$open values are open" } }
            if (it % 2 == 1 && System.nanoTime() % 3 == 0L) {
                synchronized(events) { open-- }
                throw IOException("refused")
            }
            Any()
        }, { synchronized(events) { open-- } })
        val users = List(4) {
            start {
                repeat(2000) {
                    try {
                        shared.use(1).close()
                    } catch (e: Exception) {
                        check("refused" in e.message!!) { e }
                    }
                }
            }
        }
        users.forEach { it.get(5, SECONDS) }
        open shouldBe 0
    }
})
