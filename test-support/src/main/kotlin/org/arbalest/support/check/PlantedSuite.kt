// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import io.kotest.assertions.withClue
import io.kotest.common.KotestInternal
import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.factory.TestFactory
import io.kotest.core.spec.SpecRef
import io.kotest.core.spec.style.FunSpec
import io.kotest.core.spec.style.funSpec
import io.kotest.core.test.TestCase
import io.kotest.core.test.TestType
import io.kotest.engine.TestEngineLauncher
import io.kotest.engine.listener.CollectingTestEngineListener
import io.kotest.engine.test.TestResult
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.comparables.shouldBeLessThan
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.testkit.contract.Backend
import org.arbalest.testkit.contract.numbers
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource

/**
 * A fault at the end of a suite's first test.
 *
 * @property name the kind of fault, for the name of a test
 * @property said a part of the message that the first test must fail with
 */
class Plant(val name: String, val said: String, val action: () -> Unit)

/**
 * Returns the faults for any backend: a failure; a failure with a gate shut, and with an array, a stream and work left;
 * and a leak.
 *
 * @param leak the expected message about the leak; the innermost extension reports it
 */
fun plants(backend: Backend, leak: String = "still open after"): List<Plant> = listOf(
    Plant("failure", PLANTED) { throw AssertionError(PLANTED) },
    Plant("failure in the middle of work", PLANTED) {
        val stream = backend.device.createStream()
        backend.gate(stream)
        numbers(100).copyTo(backend.device, stream)
        throw AssertionError(PLANTED)
    },
    Plant("leak of an array", leak) { numbers(100).use { it.copyTo(backend.device) }.synchronize() },
)

/**
 * Runs a spec inside tests, without a fault and with each of [plants]. It asserts that a fault fails only the spec's
 * first test. It also asserts that the spec ends within twice its usual time, or, for a short suite, within six seconds
 * more, because one wait of five seconds may time out.
 *
 * @param make the spec's constructor
 * @param most the number of the spec's tests that run, from the first: objects that a test leaves affect the next one
 */
fun oneFailureContract(plants: List<Plant>, make: () -> FunSpec, most: Int = 6): TestFactory = funSpec {
    val suite = make()::class.simpleName
    var usual: SuiteRun? = null
    suspend fun usual() = usual ?: run(make, most) {}.also { usual = it }

    test("$suite passes without a planted fault") {
        val run = usual()
        withClue(run) { run.failed.keys.shouldBeEmpty() }
        run.passed shouldBeGreaterThan 1
    }

    for (plant in plants) {
        test("a ${plant.name} in the first test of $suite fails only that test") {
            val usual = usual()
            val planted = run(make, most, plant.action)
            println("$suite, ${plant.name}: $planted; without: $usual")
            withClue(planted) {
                planted.failed.keys shouldBe setOf(planted.first)
                planted.failed.values.single() shouldContain plant.said
                planted.passed shouldBe usual.passed - 1
                planted.took shouldBeLessThan maxOf(usual.took * 2, usual.took + 6.seconds)
            }
        }
    }
}

/** The results of a spec's tests: the failed ones have their message. */
private class SuiteRun(val first: String?, val failed: Map<String, String>, val passed: Int, val took: Duration) {
    override fun toString(): String = "$passed passed, ${failed.size} failed $failed in $took"
}

@OptIn(KotestInternal::class)
private suspend fun run(make: () -> FunSpec, most: Int, plant: () -> Unit): SuiteRun {
    val planter = Planter(most, plant)
    val results = CollectingTestEngineListener()
    val type = make()::class
    val start = TimeSource.Monotonic.markNow()
    val errors = TestEngineLauncher().withListener(results)
        .withSpecRefs(SpecRef.Function({ make().apply { extension(planter) } }, type)).execute().errors
    val took = start.elapsedNow()
    val ended = results.tests.map { (test, result) -> test.name.name to result } +
        results.specs.map { (spec, result) -> "$spec" to result } +
        errors.map { "the engine" to TestResult.Failure(Duration.ZERO, AssertionError(it)) }
    val failed = ended.filter { (_, result) -> result.isErrorOrFailure }.associate { (name, result) ->
        name to "${result.errorOrNull?.message}"
    }
    return SuiteRun(planter.first, failed, results.tests.values.count { it.isSuccess }, took)
}

/**
 * An extension that is registered last and is therefore the innermost: to all others its actions belong to the test.
 */
private class Planter(private val most: Int, private val plant: () -> Unit) : TestCaseExtension {
    private var begun = 0
    var first: String? = null
        private set

    override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult {
        if (testCase.type != TestType.Test) return execute(testCase)
        if (++begun > most) return TestResult.Ignored("only the first $most tests are run")
        if (begun > 1) return execute(testCase)
        first = testCase.name.name
        val result = execute(testCase)
        return try {
            plant()
            result
        } catch (e: AssertionError) {
            TestResult.Failure(result.duration, e)
        }
    }
}

private const val PLANTED = "planted by a test"
