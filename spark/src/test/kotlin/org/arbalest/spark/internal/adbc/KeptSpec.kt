// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe

class KeptSpec : FunSpec({
    test("a value is kept once for each time, and used again after it [SPK-23]") {
        val events = mutableListOf<String>()
        val later = ArrayDeque<Runnable>()
        val kept = Kept<String>({ key -> events.add("use $key").let { AutoCloseable { events.add("end $key") } } }) {
            later.addLast(it)
        }
        kept.keep("a")
        kept.keep("b")
        kept.keep("a")
        events shouldContainExactly listOf("use a", "use b")
        later.removeFirst().run()
        events.last() shouldBe "end a"
        kept.keep("a")
        kept.keep("b")
        events.last() shouldBe "use a"
        later.size shouldBe 2
    }

    test("a value that is not available is requested again, and a failing close does not escape [SPK-23]") {
        var failures = 1
        val later = ArrayDeque<Runnable>()
        val kept = Kept<String>({ key ->
            check(failures-- == 0) { key }
            AutoCloseable { error("close") }
        }) { later.addLast(it) }
        shouldThrow<IllegalStateException> { kept.keep("a") }.message shouldBe "a"
        kept.keep("a")
        later.removeFirst().run()
        failures = 0
        kept.keep("a")
        later.size shouldBe 1
    }

    test("a value whose end cannot be planned is kept no longer [SPK-23]") {
        val events = mutableListOf<String>()
        val kept = Kept<String>({ key -> events.add("use $key").let { AutoCloseable { events.add("end $key") } } }) {
            throw IllegalStateException("no thread")
        }
        for (time in 1..2) shouldThrow<IllegalStateException> { kept.keep("a") }.message shouldBe "no thread"
        events shouldContainExactly listOf("use a", "end a", "use a", "end a")
    }
})
