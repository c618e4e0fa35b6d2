// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.string.shouldContain
import org.arbalest.interop.Had
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.SkipWithout

/**
 * The cases of ADBC's own suite (`c/validation` of arrow-adbc), with the same names, run through this library. A case
 * that a driver fails must fail with the same message; a case that needs a missing feature is skipped with a message.
 */
internal abstract class ValidationContract(tested: Tested) : FunSpec() {
    init {
        extension(Had.needed(tested.missing))
        extension(ResourceCountersExtension)
        val cases = DATABASE_CASES + CONNECTION_CASES + INGEST_CASES + STATEMENT_CASES
        val unknown = tested.fails.keys - cases.map { it.name }.toSet()
        check(unknown.isEmpty()) { "the expected failures of ${tested.name} name cases that do not exist: $unknown" }

        for (case in cases) {
            val failure = tested.fails[case.name]
            val lack = tested.lacks[case.needs]
            if (failure == null) {
                test("${case.name}: ${tested.name}")
                    .config(extensions = listOf(SkipWithout { lack })) { tested.run(case.run) }
            } else {
                test("${case.name}: ${tested.name} fails") {
                    shouldThrow<Throwable> { tested.run(case.run) }.stackTraceToString() shouldContain failure
                }
            }
        }
    }
}
