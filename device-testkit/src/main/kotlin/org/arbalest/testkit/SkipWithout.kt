// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult
import org.arbalest.device.Availability
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import java.util.concurrent.ConcurrentHashMap

/**
 * Skips each test of a spec if a requirement is missing, and prints the reason.
 *
 * [missing] runs before each test. It returns the reason, or null if the test can run. The extension prints the reason,
 * because Surefire counts the skipped tests but does not say why.
 *
 *     class MySpec : FunSpec({
 *         extension(CCompiler.needed)
 *         …
 *     })
 */
public class SkipWithout(private val missing: () -> String?) : TestCaseExtension {
    override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult {
        val reason = missing() ?: return execute(testCase)
        reasons[testCase.name.name] = reason
        println("Skipped: ${testCase.spec::class.simpleName}, ${testCase.name.name}: $reason")
        return TestResult.Ignored(reason)
    }

    public companion object {
        /**
         * The reasons for skipped tests in this JVM, by the names of the tests. Kotest does not pass them to JUnit's
         * listeners.
         */
        public val reasons: MutableMap<String, String> = ConcurrentHashMap()

        /**
         * Skips tests if no device of a [type] is available. With `CI=true` in the environment it skips nothing, and
         * the tests fail.
         */
        public fun device(type: DeviceType): SkipWithout = SkipWithout {
            val missing = Devices.availability(type) as? Availability.Missing
            missing?.reason()?.takeUnless { System.getenv("CI") == "true" }
        }
    }
}
