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

/** JUnit Jupiter runs tests that leak; this looks at what it says of them. */
class JUnitLeakSpec : FunSpec({
    var before = ResourceCounters.now()
    beforeEach { before = ResourceCounters.now() }
    afterEach {
        closeLeft()
        ResourceCounters.now().since(before).isZero shouldBe true
    }

    fun run(type: KClass<*>) = run("junit-jupiter", type)

    fun Throwable?.leak(): LeakError = shouldBeInstanceOf<LeakError>()

    test(
        "a test that leaves something open fails, and is told what and where it was made; the others do not [OWN-21]",
    ) {
        val results = run(Checked.Each::class)
        results.filterKeys { it.endsWith("()") }.filterValues { it == null }.keys shouldBe setOf("closes()")
        results.filterKeys { !it.endsWith("()") }.values.filterNotNull().shouldBeEmpty()

        val array = results["leavesAnArray()"].leak()
        withClue(array.message) {
            array.message shouldContain "not back after Each, leavesAnArray(): buffers=1, bufferBytes=64, arrays=1\n"
            array.message shouldContain
                "LEAK: DeviceArray struct<n: int32>, 1 row, on CPU, 64 bytes was left open, made by the thread "
            array.message shouldContain Regex("""at .*org\.arbalest\.leakcheck\.Checked\.make\(Checked\.java:\d+\)""")
        }
        array.left().arrays() shouldBe 1
        array.cause!!.stackTrace.map { it.methodName }.take(2) shouldBe listOf("make", "leavesAnArray")

        results["leavesABuffer()"].leak().message shouldContain "LEAK: DeviceBuffer of 100 bytes on CPU was left open"
        val three = results["leavesThree()"].leak()
        three.message shouldContain "LEAK: DeviceStream of CPU was left open"
        three.suppressed shouldHaveSize 2 // the array that was sliced, and the slice
        val export = results["leavesAnExport()"].leak()
        export.message shouldContain "LEAK: export of an array of type struct, 1 row was left open"
        export.message shouldNotContain "DeviceArray"
    }

    test("a test that fails anyway keeps its failure") {
        run(Checked.Each::class)["failsAnyway()"]!!.message shouldBe "its own"
    }

    test("what is set up for a test is to be torn down after it, and what is set up for a class after that") {
        run(Checked.Fixtures::class).filterValues { it != null } shouldBe emptyMap()
    }

    test("a class whose set-up leaks fails, its tests do not, and what they leak is told of once") {
        val results = run(Checked.SetUp::class)
        results["closes()"] shouldBe null
        results["leavesToo()"].leak().message shouldContain "DeviceStream of CPU"
        results["Inner"] shouldBe null
        val setUp = results.filterKeys { it.endsWith("SetUp") }.values.single().leak()
        setUp.message shouldContain "not back after SetUp: buffers=1, bufferBytes=64, arrays=1\n"
        setUp.message shouldNotContain "DeviceStream"
    }

    test("tests that hand on to each other are checked as a class") {
        run(Checked.Together::class).filterValues { it != null } shouldBe emptyMap()
    }

    test("one test of a class is checked") {
        val results = run(Checked.OneMethod::class)
        results["leaves()"].leak()
        results["leavesUnasked()"] shouldBe null
    }

    test("a method is checked that says so, in a class that is checked as a whole") {
        val results = run(Checked.OneOfClass::class)
        results["leaves()"].leak()
        results["leavesByComposed()"].leak()
    }

    test("a composed annotation says as much as the one that it is made of") {
        run(Checked.ComposedTogether::class).filterValues { it != null } shouldBe emptyMap()
    }

    test("tests that are checked take turns where JUnit runs tests in parallel") {
        val found = EngineTestKit.engine("junit-jupiter").selectors(selectClass(Checked.Each::class.java)).discover()
        val locked = (found.engineDescriptor.children.single() as Node<*>).exclusiveResources
        locked shouldContain ExclusiveResource(NoLeaks.RESOURCE_COUNTERS, ExclusiveResource.LockMode.READ_WRITE)
    }

    test("a test that runs beside another that is checked is refused, since nobody can tell whose a leak is") {
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
