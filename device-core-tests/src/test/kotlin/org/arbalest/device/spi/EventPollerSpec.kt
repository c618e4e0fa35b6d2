// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldContainExactlyInAnyOrder
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldEndWith
import java.util.concurrent.CompletableFuture
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicReference

/** A poller of events, on a runtime that returns scripted answers. */
class EventPollerSpec : FunSpec({
    test(
        "a completion is called once, when its event is done or failed; other events are queried again [DEV-24]",
    ) {
        val runtime = Answers()
        val poller = runtime.poller()
        val answers = Answer.entries - Answer.GONE
        for ((event, answer) in answers.withIndex()) {
            runtime.now[event.toLong()] = answer
            poller.add(event.toLong(), runtime.completion(event.toLong()))
        }
        runtime.untilAsked(20, Answer.NOT_READY.ordinal.toLong(), Answer.CANNOT_TELL.ordinal.toLong())
        runtime.ended.toList() shouldContainExactlyInAnyOrder
            listOf(Answer.DONE, Answer.FAILED, Answer.UNKNOWN).map { it.ordinal.toLong() }
        runtime.asked(Answer.DONE.ordinal.toLong()) shouldBe 1
        runtime.asked(Answer.FAILED.ordinal.toLong()) shouldBe 1
        runtime.asked(Answer.UNKNOWN.ordinal.toLong()) shouldBe 3
        runtime.ended.clear()
        for (answer in listOf(Answer.NOT_READY, Answer.CANNOT_TELL)) runtime.now[answer.ordinal.toLong()] = Answer.DONE
        runtime.untilEnded(2)
        runtime.ended.toList() shouldContainExactlyInAnyOrder
            listOf(Answer.NOT_READY, Answer.CANNOT_TELL).map { it.ordinal.toLong() }
        runtime.until { runtime.brackets.get() == 0 } // the round ends after its last completion
    }

    test("an event does not fail because of occasional unknown answers") {
        val runtime = Answers()
        val poller = runtime.poller()
        val turn = AtomicInteger()
        runtime.script = { if (turn.incrementAndGet() % 3 == 0) Answer.NOT_READY else Answer.UNKNOWN }
        poller.add(1, runtime.completion(1))
        runtime.untilAsked(50, 1)
        runtime.ended.shouldBeEmpty()
        runtime.script = null
        runtime.now[1] = Answer.DONE
        runtime.untilEnded(1)
    }

    test("an error on entry to the runtime is reported, and events are kept until an entry succeeds [DEV-23]") {
        val runtime = Answers()
        val poller = runtime.poller()
        runtime.refusal = "not relaxed"
        runtime.now[1] = Answer.DONE
        poller.add(1, runtime.completion(1))
        runtime.until { runtime.said.size > 3 }
        runtime.said.toSet().single() shouldEndWith ": before a round"
        runtime.ended.shouldBeEmpty()
        runtime.asked(1) shouldBe 0
        runtime.refusal = null
        runtime.untilEnded(1)
        runtime.until { runtime.brackets.get() == 0 }
    }

    test("if the runtime cannot be entered, the answer applies to all events: they complete or are kept") {
        val runtime = Answers()
        val poller = runtime.poller()
        runtime.entering = Answer.CANNOT_TELL
        repeat(3) { poller.add(it.toLong(), runtime.completion(it.toLong())) }
        val tried = runtime.entered.get()
        runtime.until { runtime.entered.get() > tried + 5 }
        runtime.ended.shouldBeEmpty()
        runtime.asked(0) shouldBe 0
        runtime.entering = Answer.FAILED
        runtime.untilEnded(3)
    }

    test("after the runtime is gone, no completion is called and no event is queried [DEV-26]") {
        val runtime = Answers()
        val poller = runtime.poller()
        poller.add(1, runtime.completion(1))
        runtime.untilAsked(1, 1)
        runtime.now[1] = Answer.GONE
        val thread = runtime.thread.get()
        thread.join(5_000)
        thread.isAlive shouldBe false
        poller.add(2, runtime.completion(2))
        runtime.ended.shouldBeEmpty()
        runtime.asked(2) shouldBe 0
    }

    test(
        "a slow query does not delay other events: another thread continues, and its own event is not lost [DEV-25]",
    ) {
        val runtime = Answers()
        val poller = runtime.poller(mayBlock = true)
        val stuck = CountDownLatch(1)
        val inside = CountDownLatch(1)
        runtime.blocking[1] = {
            inside.countDown()
            stuck.await()
        }
        poller.add(1, runtime.completion(1))
        inside.await()
        for (event in 2L..50L) {
            poller.add(event, runtime.completion(event))
            runtime.now[event] = Answer.DONE
        }
        runtime.untilEnded(49)
        runtime.ended.toList() shouldContainExactlyInAnyOrder (2L..50L).toList()
        runtime.blocking.clear()
        stuck.countDown()
        runtime.untilAsked(5, 1)
        runtime.now[1] = Answer.DONE
        runtime.untilEnded(50)
        runtime.until { runtime.brackets.get() == 0 }
    }

    test("a second slow query, on the thread that continued, does not delay other events either [DEV-25]") {
        val runtime = Answers()
        val poller = runtime.poller(mayBlock = true)
        val stuck = CountDownLatch(1)
        for (event in 1L..3L) poller.add(event, runtime.completion(event))
        runtime.untilAsked(5, 1, 2, 3)
        for (event in 1L..2L) { // adding an event here would wake the watch
            val inside = CountDownLatch(1)
            runtime.blocking[event] = {
                inside.countDown()
                stuck.await()
            }
            inside.await()
            runtime.untilAsked(runtime.asked(3) + 5, 3)
        }
        runtime.now[3] = Answer.DONE
        runtime.untilEnded(1)
        runtime.blocking.clear()
        stuck.countDown()
        for (event in 1L..2L) runtime.now[event] = Answer.DONE
        runtime.untilEnded(3)
        runtime.until { runtime.brackets.get() == 0 }
    }

    test("an exception in the poller is reported, and the poller continues") {
        val runtime = Answers()
        val poller = runtime.poller()
        runtime.script = { error("no") }
        poller.add(1, runtime.completion(1))
        runtime.until { runtime.said.size > 3 }
        runtime.ended.shouldBeEmpty()
        runtime.script = { Answer.DONE }
        runtime.untilEnded(1)
    }

    test(
        "a waiting thread continues after its event or at its time limit, and its event is queried no more",
    ) {
        val runtime = Answers()
        val poller = runtime.poller()
        poller.await(1, 1) shouldBe Answer.NOT_READY
        val asked = runtime.asked(1)
        poller.add(2, runtime.completion(2))
        runtime.untilAsked(20, 2)
        runtime.asked(1) shouldBe asked
        val waiting = CompletableFuture.supplyAsync { poller.await(3, SECONDS.toNanos(5)) }
        runtime.untilAsked(3, 3)
        waiting.isDone shouldBe false
        runtime.now[3] = Answer.DONE
        waiting.get(5, SECONDS) shouldBe Answer.DONE
        val interrupted = CompletableFuture<Boolean>()
        val thread = Thread.ofPlatform().start {
            interrupted.complete(poller.await(4, SECONDS.toNanos(5)) == Answer.DONE &&
                Thread.currentThread().isInterrupted)
        }
        runtime.untilAsked(3, 4)
        thread.interrupt()
        runtime.untilAsked(runtime.asked(4) + 5, 4)
        interrupted.isDone shouldBe false
        runtime.now[4] = Answer.DONE
        interrupted.get(5, SECONDS) shouldBe true
    }

    test("an event recorded in a graph is reported as captured once, and queried no more [DEV-60]") {
        val runtime = Answers()
        val poller = runtime.poller()
        poller.add(1, runtime.completion(1))
        val waiting = CompletableFuture.supplyAsync { poller.await(2, SECONDS.toNanos(5)) }
        runtime.untilAsked(2, 1, 2)
        runtime.now[1] = Answer.CAPTURED
        runtime.now[2] = Answer.CAPTURED
        waiting.get(5, SECONDS) shouldBe Answer.CAPTURED
        runtime.until { runtime.captured.toList() == listOf(1L) }
        val asked = runtime.asked(1)
        poller.add(3, runtime.completion(3))
        runtime.untilAsked(20, 3)
        runtime.asked(1) shouldBe asked
        runtime.ended.shouldBeEmpty()
    }

    test("ten thousand events from eight threads that complete in any order are reported once each") {
        val runtime = Answers()
        val poller = runtime.poller(mayBlock = true)
        val adding = List(8) { seed ->
            Thread.ofPlatform().start {
                for (event in seed * 1250L until (seed + 1) * 1250L) {
                    poller.add(event, runtime.completion(event))
                    runtime.now[(event * 7919) % 10_000] = Answer.DONE
                }
            }
        }
        adding.forEach { it.join() }
        runtime.untilEnded(10_000)
        runtime.ended.sorted() shouldContainExactly (0L until 10_000L).toList()
    }
})

/** A runtime that returns the answer set for each event, or NOT_READY without one. */
private class Answers : EventPoller.Asker {
    val now = ConcurrentHashMap<Long, Answer>()
    val ended = ConcurrentLinkedQueue<Long>()
    val captured = ConcurrentLinkedQueue<Long>()
    val said = ConcurrentLinkedQueue<String>()
    val blocking = ConcurrentHashMap<Long, () -> Unit>()
    val brackets = AtomicInteger()
    val entered = AtomicInteger()
    val thread = AtomicReference<Thread>()
    private val asked = ConcurrentHashMap<Long, AtomicInteger>()

    @Volatile var entering = Answer.DONE

    @Volatile var refusal: String? = null

    @Volatile var script: (() -> Answer)? = null

    fun poller(mayBlock: Boolean = false) = EventPoller("poller-spec", this, mayBlock)

    fun completion(event: Long) = object : Completion {
        override fun complete() {
            ended += event
        }

        override fun captured() {
            captured += event
        }

        override fun userData(): Long = error("this completion has no native part")

        override fun hostFunction(): Long = error("this completion has no native part")

        override fun eventCallback(): Long = error("this completion has no native part")
    }

    fun asked(event: Long): Int = asked[event]?.get() ?: 0

    fun untilEnded(count: Int) = until { ended.size >= count }

    /** Waits until each event has been queried this often. */
    fun untilAsked(times: Int, vararg events: Long) = until { events.all { asked(it) >= times } }

    fun until(condition: () -> Boolean) {
        val patience = System.nanoTime() + SECONDS.toNanos(5)
        while (!condition()) {
            check(System.nanoTime() < patience) { "no success after 5 s; completed $ended, reported $said" }
            Thread.yield()
        }
    }

    override fun enter(): Answer {
        thread.set(Thread.currentThread())
        entered.incrementAndGet()
        refusal?.let { error(it) }
        return entering.also { if (it == Answer.DONE) brackets.incrementAndGet() }
    }

    override fun leave() {
        brackets.decrementAndGet()
    }

    override fun ask(event: Long): Answer {
        asked.computeIfAbsent(event) { AtomicInteger() }.incrementAndGet()
        blocking[event]?.invoke()
        return script?.invoke() ?: now[event] ?: Answer.NOT_READY
    }

    override fun report(what: String, failure: Throwable) {
        said += what
    }
}
