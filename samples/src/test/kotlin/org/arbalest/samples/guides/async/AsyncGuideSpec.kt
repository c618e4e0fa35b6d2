// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.async

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.string.shouldContain
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.printed
import java.io.File

/** Runs the program of docs/guides/async.md in both languages. */
class AsyncGuideSpec : FunSpec({
    extension(ResourceCountersExtension)

    val page = File("../docs/guides/async.md").readText()
    val programs = mapOf<String, () -> Unit>("Java" to { AsyncGuideJava.main(arrayOf()) }, "Kotlin" to { main() })
    for ((language, program) in programs) {
        test("$language: the program of the guide to async streams prints the output on the page") {
            val printed = printed { program() }.trim()
            withClue(printed) { page shouldContain "\n```\n$printed\n```\n" }
        }
    }
})
