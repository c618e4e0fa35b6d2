// SPDX-License-Identifier: Apache-2.0
package org.arbalest.leakcheck.kotest

import io.kotest.core.extensions.SpecExtension
import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.spec.Spec
import io.kotest.core.test.TestCase
import io.kotest.core.test.TestType
import io.kotest.engine.test.TestResult
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.withContext
import org.arbalest.leakcheck.LeakCheck
import org.arbalest.leakcheck.LeakScope
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.TimeSource
import kotlin.time.toKotlinDuration

/**
 * Fails a test that leaves an array, a stream, an event or memory open, and a spec whose set-up does. The error names
 * each open resource and the code that created it. A test that fails for another reason is not checked.
 *
 *     class PricesSpec : FunSpec({
 *         extension(LeakExtension())
 *         …
 *     })
 *
 * The counters belong to the whole process. If another checked test runs at the same time, the check throws an
 * [IllegalStateException]. Mark specs `@Isolate` if Kotest runs specs concurrently.
 *
 * @param scope the code that must leave nothing open
 * @param patience how long to wait for releases by other threads; only a test that fails waits as long
 * @param withPlaces whether to record where each resource is created, which costs some microseconds and garbage for
 *     each. `-Dorg.arbalest.leaks=true` turns it on in any case. Without it the check only compares numbers: it misses
 *     a leak if an older resource of the same kind is released during the test
 */
public class LeakExtension(
    private val scope: LeakScope = LeakScope.TEST_AND_CLASS,
    private val patience: Duration = LeakCheck.PATIENCE.toKotlinDuration(),
    private val withPlaces: Boolean = true,
) : TestCaseExtension, SpecExtension {
    override suspend fun intercept(spec: Spec, execute: suspend (Spec) -> Unit) {
        if (!scope.hasClasses()) return execute(spec)
        val name = spec::class.simpleName ?: "a spec"
        val check = begin(name)
        try {
            withContext(Around(check)) { execute(spec) }
        } catch (e: Throwable) {
            check.giveUp()
            throw e
        }
        end(check)?.let { throw it }
    }

    override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult {
        if (testCase.type != TestType.Test || !scope.hasTests()) return execute(testCase)
        val name = "${testCase.spec::class.simpleName}, ${testCase.name.name}"
        val check = begin(name)
        val result = try {
            withContext(Around(check)) { execute(testCase) }
        } catch (e: Throwable) {
            check.giveUp()
            throw e
        }
        if (!result.isSuccess) {
            check.giveUp()
            return result
        }
        val left = end(check) ?: return result
        return TestResult.Failure(result.duration, left)
    }

    /** Suspends, because [LeakCheck.begin] would block the thread. */
    private suspend fun begin(name: String): LeakCheck {
        val start = TimeSource.Monotonic.markNow()
        val around = currentCoroutineContext()[Around]?.check
        while (start.elapsedNow() < LeakCheck.PATIENCE.toKotlinDuration()) {
            LeakCheck.tryBegin(name, around, withPlaces)?.let { return it }
            delay(1.milliseconds)
        }
        return LeakCheck.begin(name, around, withPlaces, java.time.Duration.ZERO)
    }

    /** Suspends, because [LeakCheck.end] would block the thread, which may be the one that releases resources. */
    private suspend fun end(check: LeakCheck): AssertionError? {
        val start = TimeSource.Monotonic.markNow()
        try {
            while (check.left() != null && start.elapsedNow() < patience) delay(1.milliseconds)
        } catch (e: Throwable) {
            check.giveUp()
            throw e
        }
        return check.end(java.time.Duration.ZERO)
    }

    /**
     * The check around this coroutine. The instance of the spec does not identify it: with an `isolationMode`, Kotest
     * creates new instances of the spec and the extension while the first one's check is in progress.
     */
    private class Around(val check: LeakCheck) : AbstractCoroutineContextElement(Around) {
        companion object : CoroutineContext.Key<Around>
    }
}
