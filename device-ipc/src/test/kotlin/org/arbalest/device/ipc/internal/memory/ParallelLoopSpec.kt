// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.memory

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeLessThan
import io.kotest.matchers.shouldBe
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.atomic.AtomicIntegerArray

class ParallelLoopSpec : FunSpec({
    for (isParallel in listOf(false, true)) {
        val kind = if (isParallel) "parallel" else "sequential"

        test("a $kind loop runs each round once") {
            val rounds = AtomicIntegerArray(1000)
            ParallelLoop.run(1000, isParallel) { rounds.incrementAndGet(it) }
            for (i in 0 until 1000) rounds[i] shouldBe 1
        }

        test("a $kind loop throws the failure of a round, and begins few others") {
            val rounds = AtomicInteger()
            shouldThrow<IllegalStateException> {
                ParallelLoop.run(1_000_000, isParallel) {
                    rounds.incrementAndGet()
                    error("round $it")
                }
            }
            rounds.get() shouldBeLessThan 1000
        }

        test("a $kind loop throws an error of a round") {
            shouldThrow<StackOverflowError> { ParallelLoop.run(3, isParallel) { throw StackOverflowError() } }
        }
    }

    test("a failed loop ends after all of its rounds, which use memory that the caller then frees") {
        repeat(20) {
            val running = AtomicInteger()
            shouldThrow<IllegalStateException> {
                ParallelLoop.run(64, true) {
                    running.incrementAndGet()
                    try {
                        if (it == 40) error("a failure")
                        repeat(20_000) { Thread.onSpinWait() }
                    } finally {
                        running.decrementAndGet()
                    }
                }
            }
            running.get() shouldBe 0
        }
    }
})
