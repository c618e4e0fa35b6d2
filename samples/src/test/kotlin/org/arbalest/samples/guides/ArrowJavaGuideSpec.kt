// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.samples.guides.arrowjava.main
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.printed

/** The programs at the start of docs/guides/arrow-java.md. ArrowJavaSpec runs the other snippets. */
class ArrowJavaGuideSpec : FunSpec({
    extension(ResourceCountersExtension)

    for ((language, program) in mapOf("Java" to { ArrowJavaGuideJava.main(arrayOf()) }, "Kotlin" to { main() })) {
        test("$language: the program shares a vector, a batch and a root") {
            printed { program() }.trim().lines() shouldBe listOf("4.25", "[1.5, 4.25]")
        }
    }
})
