// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support.check

import org.arbalest.testkit.SkipWithout
import org.junit.platform.engine.TestExecutionResult
import org.junit.platform.engine.discovery.DiscoverySelectors.selectClass
import org.junit.platform.launcher.TestExecutionListener
import org.junit.platform.launcher.TestIdentifier
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder
import org.junit.platform.launcher.core.LauncherFactory
import kotlin.reflect.KClass

/** Runs a spec, and reports after each test. A spec without tests fails. */
fun StepRun.tests(spec: KClass<*>) {
    val listener = TestCounter { tests -> report { it.copy(tests = tests, versions = Versions.found.toSortedMap()) } }
    val request = LauncherDiscoveryRequestBuilder.request().selectors(selectClass(spec.java)).build()
    LauncherFactory.create().execute(request, listener)
    listener.finish(spec.java.name)
}

/** The greatest length of a message. Some assertions quote all compared values; the log has the whole text. */
private const val MOST_CHARACTERS = 2000

private class TestCounter(private val report: (Tests) -> Unit) : TestExecutionListener {
    private var tests = Tests(0, listOf(), listOf())

    override fun executionSkipped(test: TestIdentifier, reason: String) {
        val why = SkipWithout.reasons[test.displayName] ?: reason
        say(tests.copy(notRun = tests.notRun + Named(test.displayName, why)))
    }

    override fun executionFinished(test: TestIdentifier, result: TestExecutionResult) {
        val thrown = result.throwable.orElse(null)
        when (result.status) {
            TestExecutionResult.Status.SUCCESSFUL -> if (test.isTest) say(tests.copy(passed = tests.passed + 1))
            TestExecutionResult.Status.ABORTED ->
                say(tests.copy(notRun = tests.notRun + Named(test.displayName, "${thrown?.message}")))
            else -> {
                say(tests.copy(failed = tests.failed +
                    Named(test.displayName, "${thrown?.message ?: thrown}".take(MOST_CHARACTERS))))
                println("FAILED: ${test.displayName}")
                thrown?.printStackTrace(System.out)
            }
        }
    }

    fun finish(spec: String) {
        if (tests.passed + tests.failed.size + tests.notRun.size == 0)
            say(tests.copy(failed = listOf(Named(spec, "no test was found"))))
    }

    private fun say(now: Tests) {
        tests = now
        report(now)
    }
}
