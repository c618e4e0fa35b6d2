package org.arbalest.testkit

import io.kotest.core.extensions.TestCaseExtension
import io.kotest.core.test.TestCase
import io.kotest.engine.test.TestResult

/**
 * Skips each test of a spec, visibly, for want of something.
 *
 * [missing] is asked before each test, and answers with the reason, or null if the test can run. The reason is printed:
 * Surefire counts what was skipped, but does not say why.
 *
 *     class MySpec : FunSpec({
 *         extension(CCompiler.needed)
 *         …
 *     })
 */
public class SkipWithout(private val missing: () -> String?) : TestCaseExtension {
    override suspend fun intercept(testCase: TestCase, execute: suspend (TestCase) -> TestResult): TestResult {
        val reason = missing() ?: return execute(testCase)
        println("Skipped: ${testCase.spec::class.simpleName}, ${testCase.name.name}: $reason")
        return TestResult.Ignored(reason)
    }
}
