// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.adbc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.string.shouldContain
import org.arbalest.interop.Had
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.SkipWithout

/**
 * What ADBC's own suite (`c/validation` of arrow-adbc) asks of a driver, by its names, through this library. A case
 * that a driver fails is expected to fail in the same words; one that needs what it lacks is a visible skip.
 */
internal abstract class ValidationContract(tested: Tested) : FunSpec() {
    init {
        extension(Had.needed(tested.missing))
        extension(ResourceCountersExtension)
        val cases = DATABASE_CASES + CONNECTION_CASES + INGEST_CASES + STATEMENT_CASES
        val unknown = tested.fails.keys - cases.map { it.name }.toSet()
        check(unknown.isEmpty()) { "there are no cases $unknown" }

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
