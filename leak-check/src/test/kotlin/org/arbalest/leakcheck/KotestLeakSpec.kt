// SPDX-License-Identifier: Apache-2.0
package org.arbalest.leakcheck

import io.kotest.assertions.withClue
import io.kotest.core.spec.IsolationMode
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.test.TestResult
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import io.kotest.matchers.types.shouldBeInstanceOf
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import org.arbalest.device.RecordBatch
import org.arbalest.device.internal.lifetime.Counts
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.leakcheck.kotest.LeakExtension
import java.util.concurrent.Executors
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds

/** Runs leaking specs with Kotest's engine and checks the reported errors. */
class KotestLeakSpec : FunSpec({
    var before = ResourceCounters.now()
    beforeEach { before = ResourceCounters.now() }
    afterEach {
        closeLeft()
        ResourceCounters.now().since(before).isZero shouldBe true
    }

    test("a test that leaves a resource open fails and reports the resource and its origin; others pass [OWN-21]") {
        val results = run("kotest", LeakyTests::class)
        results["closes"] shouldBe null
        val leak = results["leaves an array"].shouldBeInstanceOf<LeakError>()
        leak.message shouldContain "still open after LeakyTests, leaves an array: buffers=1, bufferBytes=64, arrays=1\n"
        leak.message shouldContain
            Regex("""created by the thread .* at .*org\.arbalest\.leakcheck\.Checked\.make\(Checked\.java:\d+\)""")
        results["fails anyway"]!!.message shouldBe "its own"
        results.filterKeys { "LeakyTests" in it }.values.filterNotNull() shouldBe emptyList()
    }

    test("a spec that leaves a resource open outside its tests fails, and its tests pass") {
        val results = run("kotest", LeakySetUp::class)
        results["closes"] shouldBe null
        val leak = results.values.filterNotNull().flatMap { generateSequence(it) { cause -> cause.cause } }
            .filterIsInstance<LeakError>().first()
        leak.message shouldContain "still open after LeakySetUp: buffers=1, bufferBytes=64, arrays=1\n"
    }

    test("a spec with a new instance for each root or leaf is checked like any other") {
        for (spec in listOf(InstancePerRoot::class, InstancePerLeaf::class)) {
            withClue(spec) {
                val results = run("kotest", spec)
                results["closes"] shouldBe null
                results["closes, too"] shouldBe null
                results["leaves an array"].shouldBeInstanceOf<LeakError>().message shouldContain
                    "still open after ${spec.simpleName}, leaves an array: "
                results["closes, at last"] shouldBe null
                results.filterValues { it != null }.keys shouldBe setOf("leaves an array")
            }
        }
    }

    test("a spec with new instances fails once if its set-up leaks") {
        val results = run("kotest", LeakySetUpPerRoot::class)
        val leaks = results.values.filterNotNull().flatMap { generateSequence(it) { cause -> cause.cause } }
            .filterIsInstance<LeakError>().distinct()
        withClue(leaks.map { it.message }) { leaks.map { it.left().arrays() } shouldBe listOf(1L) }
    }

    test("a check waits for pending operations without blocking the thread that they need") {
        var isOver = false
        val began = mutableListOf<Boolean>()
        Counts.WAITS.increment() // as an event with a waiting callback does
        Executors.newSingleThreadExecutor().asCoroutineDispatcher().use { one ->
            withContext(one) {
                launch {
                    isOver = true
                    Counts.WAITS.decrement()
                }
                LeakExtension(LeakScope.TEST).intercept(testCase) {
                    began += isOver
                    TestResult.Success(Duration.ZERO)
                }
            }
        }
        began shouldBe listOf(true)
    }

    test("without places, the message has the counts and says how to note the places") {
        fun message() = run("kotest", WithoutPlaces::class)["leaves an array"].shouldBeInstanceOf<LeakError>()
            .message.also { closeLeft() }
        val without = message()
        without shouldContain "withPlaces = true or -Dorg.arbalest.leaks=true records each handle and where it was " +
            "created"
        without shouldNotContain "LEAK"
        System.setProperty("org.arbalest.leaks", "true")
        try {
            message() shouldContain "LEAK: RecordBatch struct<n: int32>, 1 row, on CPU, 64 bytes was left open"
        } finally {
            System.clearProperty("org.arbalest.leaks")
        }
    }
})

private class LeakyTests : FunSpec({
    extension(LeakExtension(patience = 20.milliseconds))

    test("closes") { Checked.make().close() }
    test("leaves an array") { Checked.LEFT += Checked.make() }
    test("fails anyway") {
        Checked.LEFT += Checked.make()
        error("its own")
    }
})

private class LeakySetUp : FunSpec({
    extension(LeakExtension(patience = 20.milliseconds))

    beforeSpec { Checked.LEFT += Checked.make() }
    test("closes") { Checked.make().close() }
})

private class InstancePerRoot : FunSpec({
    isolationMode = IsolationMode.InstancePerRoot
    roots()
})

private class InstancePerLeaf : FunSpec({
    isolationMode = IsolationMode.InstancePerLeaf
    roots()
})

private fun FunSpec.roots() {
    extension(LeakExtension(patience = 20.milliseconds))

    lateinit var own: RecordBatch
    beforeSpec { own = Checked.make() }
    afterSpec { own.close() }
    test("closes") { Checked.make().close() }
    context("within") {
        test("closes, too") { Checked.make().close() }
        test("leaves an array") { Checked.LEFT += Checked.make() }
    }
    test("closes, at last") { Checked.make().close() }
}

private class LeakySetUpPerRoot : FunSpec({
    isolationMode = IsolationMode.InstancePerRoot
    extension(LeakExtension(patience = 20.milliseconds))

    beforeSpec { Checked.LEFT += Checked.make() }
    test("closes") { Checked.make().close() }
    test("closes, too") { Checked.make().close() }
})

private class WithoutPlaces : FunSpec({
    extension(LeakExtension(LeakScope.TEST, 20.milliseconds, withPlaces = false))

    test("leaves an array") { Checked.LEFT += Checked.make() }
})
