// SPDX-License-Identifier: Apache-2.0
package org.arbalest.leakcheck

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.leakcheck.junit.NoLeaks
import org.junit.platform.engine.discovery.DiscoverySelectors.selectClass
import org.junit.platform.engine.support.hierarchical.ExclusiveResource
import org.junit.platform.engine.support.hierarchical.Node
import org.junit.platform.testkit.engine.EngineTestKit
import kotlin.reflect.KClass

/** Runs leaking tests with JUnit Jupiter and checks the reported errors. */
class JUnitLeakSpec : FunSpec({
    var before = ResourceCounters.now()
    beforeEach { before = ResourceCounters.now() }
    afterEach {
        closeLeft()
        ResourceCounters.now().since(before).isZero shouldBe true
    }

    fun run(type: KClass<*>) = run("junit-jupiter", type)

    fun Throwable?.leak(): LeakError = shouldBeInstanceOf<LeakError>()

    test("a test that leaves a resource open fails and reports the resource and its origin; others pass [OWN-21]") {
        val results = run(Checked.Each::class)
        results.filterKeys { it.endsWith("()") }.filterValues { it == null }.keys shouldBe setOf("closes()")
        results.filterKeys { !it.endsWith("()") }.values.filterNotNull().shouldBeEmpty()

        val array = results["leavesAnArray()"].leak()
        withClue(array.message) {
            array.message shouldContain "still open after Each, leavesAnArray(): buffers=1, bufferBytes=64, arrays=1\n"
            array.message shouldContain
                "LEAK: RecordBatch struct<n: int32>, 1 row, on CPU, 64 bytes was left open, created by the thread "
            array.message shouldContain Regex("""at .*org\.arbalest\.leakcheck\.Checked\.make\(Checked\.java:\d+\)""")
        }
        array.left().arrays() shouldBe 1
        array.cause!!.stackTrace.map { it.methodName }.take(2) shouldBe listOf("make", "leavesAnArray")

        results["leavesABuffer()"].leak().message shouldContain "LEAK: DeviceBuffer of 100 bytes on CPU was left open"
        val three = results["leavesThree()"].leak()
        three.message shouldContain "LEAK: DeviceStream of CPU was left open"
        three.suppressed shouldHaveSize 2 // the sliced array and its slice
        val export = results["leavesAnExport()"].leak()
        export.message shouldContain "LEAK: export of an array of type struct, 1 row was left open"
        export.message shouldNotContain "RecordBatch"
    }

    test("a test that fails by itself keeps its failure") {
        run(Checked.Each::class)["failsAnyway()"]!!.message shouldBe "its own"
    }

    test("a fixture is no leak if its tear-down closes it, for a test or for a class") {
        run(Checked.Fixtures::class).filterValues { it != null } shouldBe emptyMap()
    }

    test("a class whose set-up leaks fails once, and its tests report only their own leaks") {
        val results = run(Checked.SetUp::class)
        results["closes()"] shouldBe null
        results["leavesToo()"].leak().message shouldContain "DeviceStream of CPU"
        results["Inner"] shouldBe null
        val setUp = results.filterKeys { it.endsWith("SetUp") }.values.single().leak()
        setUp.message shouldContain "still open after SetUp: buffers=1, bufferBytes=64, arrays=1\n"
        setUp.message shouldNotContain "DeviceStream"
    }

    test("NoLeaks of a class permits tests that pass resources to each other") {
        run(Checked.Together::class).filterValues { it != null } shouldBe emptyMap()
    }

    test("NoLeaks of one method checks only that test") {
        val results = run(Checked.OneMethod::class)
        results["leaves()"].leak()
        results["leavesUnasked()"] shouldBe null
    }

    test("NoLeaks of a method checks the test although the class is checked as a whole") {
        val results = run(Checked.OneOfClass::class)
        results["leaves()"].leak()
        results["leavesByComposed()"].leak()
    }

    test("a composed annotation acts like the NoLeaks that it contains") {
        run(Checked.ComposedTogether::class).filterValues { it != null } shouldBe emptyMap()
    }

    test("checked tests lock the resource counters, so that JUnit does not run them in parallel") {
        val found = EngineTestKit.engine("junit-jupiter").selectors(selectClass(Checked.Each::class.java)).discover()
        val locked = (found.engineDescriptor.children.single() as Node<*>).exclusiveResources
        locked shouldContain ExclusiveResource(NoLeaks.RESOURCE_COUNTERS, ExclusiveResource.LockMode.READ_WRITE)
    }

    test("a checked test is rejected while another check runs, because a leak could belong to either") {
        val other = LeakCheck.begin("another test")
        try {
            val refused = run(Checked.ByExtension::class).values.filterNotNull().single()
            refused.shouldBeInstanceOf<IllegalStateException>().message shouldContain
                "ByExtension is checked for leaks while another test is"
        } finally {
            other.end(LeakCheck.PATIENCE) shouldBe null
        }
        run(Checked.ByExtension::class).filterValues { it != null } shouldBe emptyMap()
    }
})
