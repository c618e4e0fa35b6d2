// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe

class RaceSpec : FunSpec({
    class Clock {
        var now = 1000L
        fun pass(nanos: Long) {
            now += nanos
        }
    }

    test("only the contestants' work is timed, alternately, and no contestant is always first [CHK-01]") {
        val clock = Clock()
        val said = mutableListOf<String>()
        fun contestant(name: String, nanos: Long) =
            Contestant(name, prepare = { clock.pass(7) }, verify = { clock.pass(90) }) {
                said += name
                clock.pass(nanos)
            }
        val times = Race(Rounds(warmups = 1, least = 3, most = 3, nanos = 0)) { clock.now }
            .run(listOf(contestant("a", 20), contestant("b", 50)))
        times[0].toList() shouldContainExactly listOf(20L, 20, 20)
        times[1].toList() shouldContainExactly listOf(50L, 50, 50)
        said.joinToString("") shouldBe "ab" + "ab" + "ba" + "ab"
    }

    test("a race lasts until its time is over, between its least and most rounds [CHK-01]") {
        fun rounds(rounds: Rounds): Int {
            val clock = Clock()
            return Race(rounds) { clock.now }.run(listOf(Contestant("a") { clock.pass(100) })).single().size
        }
        rounds(Rounds(0, least = 1, most = 100, nanos = 1000)) shouldBe 10
        rounds(Rounds(0, least = 20, most = 100, nanos = 1000)) shouldBe 20
        rounds(Rounds(0, least = 1, most = 5, nanos = 1000)) shouldBe 5
    }

    test("each copy is verified, even in the warm-up, and each round has its own number [CHK-02]") {
        val seen = mutableListOf<Pair<String, Int>>()
        val contestant =
            Contestant("a", prepare = { seen += "prepared" to it }, verify = { seen += "verified" to it }) {}
        Race(Rounds(2, 2, 2, 0)).run(listOf(contestant))
        seen shouldContainExactly (0..3).flatMap { listOf("prepared" to it, "verified" to it) }
        shouldThrow<SpoiltException> {
            Race(Rounds(0, 1, 1, 0)).run(listOf(Contestant("a", verify = { throw SpoiltException("wrong") }) {}))
        }
    }

    test("the median is correct for odd and even numbers of times") {
        longArrayOf(3000, 1000, 2000).medianMicros() shouldBe 2.0
        longArrayOf(4000, 1000, 2000, 3000).medianMicros() shouldBe 2.5
    }
})
