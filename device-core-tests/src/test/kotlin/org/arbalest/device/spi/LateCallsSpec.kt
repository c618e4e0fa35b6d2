// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger

/** Native calls that are deferred or repeated. */
class LateCallsSpec : FunSpec({
    val said = ConcurrentLinkedQueue<String>()
    val begun = AtomicInteger()
    val unprepared = AtomicInteger()
    val before = Runnable {
        begun.incrementAndGet()
        check(unprepared.getAndUpdate { maxOf(it - 1, 0) } == 0) { "not relaxed" }
    }
    val calls = LateCalls("late-calls-spec", before, { Answer.entries[it] }) { what, failure ->
        said += "$what ${failure.message}"
    }

    /** A call that returns these answers in order, and then repeats the last one. */
    class Scripted(private vararg val answers: Answer) {
        val attempts = AtomicInteger()
        val over = CountDownLatch(answers.size)

        fun attempt(): Int = answers[minOf(attempts.getAndIncrement(), answers.size - 1)]
            .ordinal.also { over.countDown() }

        fun failure(code: Int) = IllegalStateException("attempt ${attempts.get()}, ${Answer.entries[code]}")

        fun give() = calls.give(::attempt, ::failure)

        fun goOn(answer: Answer) = calls.goOn(answer.ordinal, ::attempt, ::failure)
    }

    beforeTest { calls.start() }
    afterTest { said.clear() }

    test("a rejected call is repeated until it succeeds, and other calls do not wait for it [DEV-26]") {
        val call = Scripted(Answer.CANNOT_TELL, Answer.NOT_READY, Answer.UNKNOWN, Answer.CANNOT_TELL, Answer.DONE)
        call.give()
        calls.drain() // the call was tried
        (call.attempts.get() >= 1) shouldBe true
        call.over.await(5, SECONDS) shouldBe true
        calls.drain()
        call.attempts.get() shouldBe 5
        said.shouldBeEmpty()
        (begun.get() >= 5) shouldBe true // before each attempt
    }

    test("a permanent failure is tried once, an unknown code five times, and each is reported once [DEV-26]") {
        val forGood = Scripted(Answer.FAILED)
        val unknown = Scripted(*Array(5) { Answer.UNKNOWN })
        forGood.give()
        unknown.give()
        unknown.over.await(5, SECONDS) shouldBe true
        calls.drain()
        forGood.attempts.get() shouldBe 1
        unknown.attempts.get() shouldBe 5
        said.toList() shouldContainExactly
            listOf("a deferred release, which is not retried, attempt 1, FAILED",
                "a deferred release, which is not retried, attempt 5, UNKNOWN")
    }

    test("a call for an object that is gone with its runtime is abandoned without a report [DEV-26]") {
        val call = Scripted(Answer.CANNOT_TELL, Answer.GONE)
        call.give()
        call.over.await(5, SECONDS) shouldBe true
        calls.drain()
        call.attempts.get() shouldBe 2
        said.shouldBeEmpty()
    }

    test("a call that was made elsewhere continues here if it is not finished") {
        val call = Scripted(Answer.DONE)
        for (answer in listOf(Answer.DONE, Answer.GONE)) call.goOn(answer)
        calls.drain()
        call.attempts.get() shouldBe 0
        call.goOn(Answer.CANNOT_TELL)
        call.over.await(5, SECONDS) shouldBe true
        call.goOn(Answer.FAILED)
        said.size shouldBe 1
    }

    test("tasks run in order, and a task that throws is reported and does not stop the others") {
        val order = ConcurrentLinkedQueue<Int>()
        repeat(100) { i ->
            calls.submit {
                order += i
                check(i != 50) { "number 50" }
            }
        }
        calls.drain()
        order.toList() shouldContainExactly (0 until 100).toList()
        said.toList() shouldContainExactly listOf("work on late-calls-spec number 50")
    }

    test("a call is made even if its thread could not be prepared, which is reported [DEV-23, DEV-26]") {
        val call = Scripted(Answer.DONE)
        unprepared.set(1)
        call.give()
        call.over.await(5, SECONDS) shouldBe true
        calls.drain()
        call.attempts.get() shouldBe 1
        said.toList() shouldContainExactly listOf("beginning on late-calls-spec not relaxed")
    }

    test("the waiter of a call is notified even if the call throws [DEV-26]") {
        val over = CountDownLatch(1)
        calls.goOn(Answer.NOT_READY.ordinal, { error("by the call") }, { IllegalStateException() }, over::countDown)
        over.await(5, SECONDS) shouldBe true
        calls.drain()
        said.toList() shouldContainExactly listOf("work on late-calls-spec by the call")
    }
})
