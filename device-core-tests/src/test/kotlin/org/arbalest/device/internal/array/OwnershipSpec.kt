// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.internal.device.EventPoint
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.batch
import org.arbalest.device.support.duel
import org.arbalest.device.support.release
import org.arbalest.device.support.together
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random

class OwnershipSpec : FunSpec({
    extension(Balanced)

    class Counted : Ownership(false) {
        val frees = AtomicInteger()

        override fun syncEvent() = 0L
        override fun mayHaveToWait() = false
        override fun event(): EventPoint? = null
        override fun isCpuAccessible() = true

        override fun freeArray() {
            frees.incrementAndGet()
        }
    }

    test("only the release of the last reference frees the array") {
        val array = Counted()
        array.retain()
        array.release()
        array.frees.get() shouldBe 0
        array.release()
        array.frees.get() shouldBe 1
    }

    test("retaining a freed array fails and does not revive it") {
        val array = Counted()
        array.release()
        repeat(3) { shouldThrow<IllegalStateException> { array.retain() }.message shouldContain "already freed" }
        array.frees.get() shouldBe 1
    }

    test("releasing more often than retaining fails and frees nothing twice") {
        val array = Counted()
        array.release()
        repeat(2) { shouldThrow<IllegalStateException> { array.release() }.message shouldContain "more often" }
        shouldThrow<IllegalStateException> { array.retain() }
        array.frees.get() shouldBe 1
    }

    test("threads that retain and release at once free the array exactly once") {
        repeat(500) { round ->
            val array = Counted()
            repeat(2) { array.retain() }
            together(3) { thread ->
                val random = Random(31 * round + thread)
                var held = 1
                while (held > 0) {
                    if (held < 4 && random.nextInt(3) == 0) {
                        array.retain()
                        held++
                    } else {
                        check(array.frees.get() == 0) { "the array was freed while this thread held a reference" }
                        array.release()
                        held--
                    }
                }
            }
            array.frees.get() shouldBe 1
        }
    }

    test("retaining a freed array fails on all of several threads") {
        val array = Counted()
        array.release()
        together(4) {
            repeat(100_000) {
                check(runCatching { array.retain() }.isFailure) { "retain succeeded after the memory was freed" }
            }
        }
        array.frees.get() shouldBe 1
    }

    test("retaining a handle while another thread closes it returns a live handle or fails") {
        val arrays = List(5_000) { batch(1) }
        duel(
            arrays.size,
            { arrays[it].close() },
            {
                val kept = runCatching { arrays[it].retain() }.getOrElse { e ->
                    if (e is IllegalStateException) null else throw e
                }
                kept?.use { held -> check(held.column("id").getLong(0) == 0L) }
            },
        )
    }
})
