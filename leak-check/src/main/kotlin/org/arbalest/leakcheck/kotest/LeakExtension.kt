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
 * Fails a test that leaves an array, a stream, an event or memory open, and a spec whose set-up does, with what it is,
 * and where it was made. A test that fails anyway is not asked.
 *
 *     class PricesSpec : FunSpec({
 *         extension(LeakExtension())
 *         …
 *     })
 *
 * What is open is counted for the whole process: a test that runs beside another is refused with an
 * [IllegalStateException]; where specs run concurrently, those are to be `@Isolate`.
 *
 * @param scope what has to leave nothing open
 * @param patience how long what other threads are just releasing has to be gone; only a test that fails takes so long
 * @param withPlaces whether to note where each thing is made, which takes microseconds for each, and garbage;
 *     `-Dorg.arbalest.leaks=true` does so whatever this says. Without it there are only the numbers: what is left is
 *     not seen where as much was released that had been there before
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

    /** Suspends, where [LeakCheck.begin] blocks. */
    private suspend fun begin(name: String): LeakCheck {
        val start = TimeSource.Monotonic.markNow()
        val around = currentCoroutineContext()[Around]?.check
        while (start.elapsedNow() < LeakCheck.PATIENCE.toKotlinDuration()) {
            LeakCheck.tryBegin(name, around, withPlaces)?.let { return it }
            delay(1.milliseconds)
        }
        return LeakCheck.begin(name, around, withPlaces, java.time.Duration.ZERO)
    }

    /** Suspends, where [LeakCheck.end] blocks: what is to be released may need this thread. */
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
     * The check that this coroutine is inside of. By the instance of the spec it cannot be found: with an
     * `isolationMode` Kotest makes a new one, and with it another extension, while the first one's check is under way.
     */
    private class Around(val check: LeakCheck) : AbstractCoroutineContextElement(Around) {
        companion object : CoroutineContext.Key<Around>
    }
}
