// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.adbc.start
import org.arbalest.device.adbc.startWaiting
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

class LateCancelSpec : FunSpec({
    val lock = ConnectionLock()

    fun CountDownLatch.awaitFiveSeconds() = check(await(5, TimeUnit.SECONDS)) { "still closed after 5 s" }

    test("a release that returns at once is not cancelled, and one that waits is cancelled once [ADB-28]") {
        val cancels = AtomicInteger()
        repeat(100) { LateCancel.release(lock, {}) { cancels.incrementAndGet() } }
        val gate = CountDownLatch(1)
        // it begins after the others, so their time is over before it is cancelled
        LateCancel.release(lock, gate::awaitFiveSeconds) { gate.countDown() }
        cancels.get() shouldBe 0
    }

    test("a release waits for a cancel that runs, which would otherwise reach the next execution [ADB-28]") {
        val entered = CountDownLatch(1)
        val gate = CountDownLatch(1)
        Executors.newSingleThreadExecutor().use { pool ->
            val isReleased = CountDownLatch(1)
            val (release, isWaiting) = pool.startWaiting {
                LateCancel.release(lock, {
                    entered.awaitFiveSeconds()
                    isReleased.countDown()
                }) {
                    entered.countDown()
                    gate.awaitFiveSeconds()
                }
            }
            isWaiting shouldBe true
            isReleased.awaitFiveSeconds()
            release.isDone shouldBe false
            gate.countDown()
            release.get(5, TimeUnit.SECONDS)
        }
    }

    test("a release that fails is not cancelled, and throws its own exception [ADB-28]") {
        val cancels = AtomicInteger()
        shouldThrow<IllegalStateException> {
            LateCancel.release(lock, { error("broken") }) { cancels.incrementAndGet() }
        }.message shouldBe "broken"
        val gate = CountDownLatch(1)
        LateCancel.release(lock, gate::awaitFiveSeconds) { gate.countDown() }
        cancels.get() shouldBe 0
    }

    test("an interrupt during a release does not end its wait for the cancel, and is kept [ADB-28]") {
        val entered = CountDownLatch(1)
        Executors.newSingleThreadExecutor().use { pool ->
            val gate = CountDownLatch(1)
            pool.start {
                LateCancel.release(lock, {
                    entered.awaitFiveSeconds()
                    Thread.currentThread().interrupt()
                    gate.countDown()
                }) {
                    entered.countDown()
                    gate.awaitFiveSeconds()
                }
                Thread.interrupted()
            }.get(5, TimeUnit.SECONDS) shouldBe true
        }
    }
})
