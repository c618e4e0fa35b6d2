// SPDX-License-Identifier: Apache-2.0
package org.arbalest.leakcheck

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.device.Devices
import org.arbalest.device.monitoring.HandleWatch
import org.arbalest.device.monitoring.ResourceCounters
import java.time.Duration

/** Checks without a test framework, which know the open handles from [HandleWatch]. */
class LeakCheckSpec : FunSpec({
    var before = ResourceCounters.now()
    beforeEach { before = ResourceCounters.now() }
    afterEach { ResourceCounters.now().since(before).isZero shouldBe true }

    test("a watch lists the open handles made since its start, in the order of their creation") {
        HandleWatch.start().use { outer ->
            val first = Devices.cpu().allocate(10)
            HandleWatch.start().use { inner ->
                Checked.make().use { second ->
                    second.retain().close()
                    val array = "RecordBatch struct<n: int32>, 1 row, on CPU, 64 bytes"
                    inner.open().map { it.what() } shouldContainExactly listOf(array)
                    outer.open().map { it.what() } shouldContainExactly listOf("DeviceBuffer of 10 bytes on CPU", array)
                    val moved = second.move()
                    inner.open().map { it.what() } shouldContainExactly listOf(array)
                    moved.close()
                }
                inner.open().shouldBeEmpty()
            }
            first.close()
            outer.open().shouldBeEmpty()
            val late = Checked.make()
            outer.close()
            outer.open().shouldBeEmpty()
            late.close()
        }
    }

    test("a nested check reports its own leaks, and the outer check reports the others") {
        val outer = LeakCheck.begin("the outer")
        val buffer = Devices.cpu().allocate(100)
        val inner = LeakCheck.begin("the inner", outer, true)
        val array = Checked.make()
        inner.end(Duration.ZERO)!!.message shouldContain "LEAK: RecordBatch"
        val left = outer.end(Duration.ZERO)!!
        left.left().bufferBytes() shouldBe 100
        left.message shouldContain "LEAK: DeviceBuffer of 100 bytes on CPU was left open"
        left.message shouldNotContain "RecordBatch"
        buffer.close()
        array.close()
    }

    test("the outer check ignores a leak that the nested check reported and that was closed later") {
        val outer = LeakCheck.begin("the outer")
        val inner = LeakCheck.begin("the inner", outer, true)
        val array = Checked.make()
        inner.end(Duration.ZERO)!!.left().arrays() shouldBe 1
        array.close()
        outer.end(Duration.ZERO) shouldBe null
    }

    test("a check reports the release of a resource that existed before") {
        val array = Checked.make()
        val check = LeakCheck.begin("releasing")
        array.close()
        val error = check.end(Duration.ZERO)!!
        error.left().arrays() shouldBe -1
        error.message shouldContain "arrays=-1"
    }

    test("a check with places reports a leak even if an equal older resource was released") {
        for (withPlaces in listOf(true, false)) {
            val before = Checked.make()
            val check = LeakCheck.begin("as much", null, withPlaces)
            val left = Checked.make()
            before.close()
            val error = check.end(Duration.ZERO)
            left.close()
            if (!withPlaces) {
                error shouldBe null // Without places, a check knows only the counts.
                continue
            }
            error!!.left().isZero shouldBe true
            error.message shouldContain "still open after as much: as much is open as before, but not the " +
                "same\nLEAK: " +
                "RecordBatch struct<n: int32>, 1 row, on CPU"
        }
    }

    test("the outer check reports only its own leak, and not the closed leak of a nested check") {
        val outer = LeakCheck.begin("the outer")
        val inner = LeakCheck.begin("the inner", outer, true)
        val closed = Checked.make()
        inner.end(Duration.ZERO)!!.left().arrays() shouldBe 1
        closed.close()
        val own = Checked.make()
        val error = outer.end(Duration.ZERO)!!
        error.message shouldContain "LEAK: RecordBatch"
        error.suppressed.size shouldBe 0
        own.close()
    }

    test("a resource that is released after a failed check does not fail the next check") {
        val failed = LeakCheck.begin("the failed")
        val array = Checked.make()
        failed.giveUp()
        LeakCheck.tryBegin("the next", null, false) shouldBe null
        array.close()
        LeakCheck.begin("the next").end(Duration.ZERO) shouldBe null
    }

    test("a second check is rejected while another runs, and the first continues") {
        val one = LeakCheck.begin("one")
        shouldThrow<IllegalStateException> { LeakCheck.begin("two") }.message shouldContain
            "two is checked for leaks while one is"
        one.end(Duration.ZERO) shouldBe null
        LeakCheck.begin("two").end(Duration.ZERO) shouldBe null
    }
})
