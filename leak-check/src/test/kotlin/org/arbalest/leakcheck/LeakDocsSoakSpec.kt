// SPDX-License-Identifier: Apache-2.0
package org.arbalest.leakcheck

import com.example.Prices
import com.example.PricesSpec
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import org.arbalest.device.monitoring.ResourceCounters
import java.io.File

/** The code of docs/guides/leaks.md for leak-check compiles, runs, and reports the text on the page. */
class LeakDocsSoakSpec : FunSpec({
    val page = File("../docs/guides/leaks.md").readText()
    val engines = mapOf("java" to ("junit-jupiter" to Class.forName("com.example.PricesTest").kotlin),
        "kotlin" to ("kotest" to PricesSpec::class))

    test("the page's code is that of com.example.PricesTest and PricesSpec") {
        val blocks = Regex("```(java|kotlin)\n(.*?)```", RegexOption.DOT_MATCHES_ALL).findAll(page)
            .map { it.destructured }
            .filter { (_, code) -> "NoLeaks" in code || "LeakExtension" in code }.toList()
        blocks shouldHaveSize 2
        for ((language, code) in blocks) {
            val name = engines.getValue(language).second.simpleName
            val source = File("src/test/$language/com/example/$name.${if (language == "java") "java" else "kt"}")
                .readText()
            source.words() shouldContain code.words()
        }
    }

    test("the page's tests pass, and fail with the page's message if they forget to close") {
        val before = ResourceCounters.now()
        for ((engine, type) in engines.values) {
            withClue(engine) {
                run(engine, type).filterValues { it != null } shouldBe emptyMap()
                Prices.forgets = true
                val leak = try {
                    run(engine, type).values.filterNotNull().single().shouldBeInstanceOf<LeakError>()
                } finally {
                    Prices.forgets = false
                    Prices.forgotten.close()
                }
                val lines = leak.message!!.lines().map { it.replace(Regex("thread .* at .*$"), "thread") }
                if (engine == "junit-jupiter") page shouldContain
                    "${LeakError::class.qualifiedName}: ${lines[0]}\n${lines[1]}"
                lines shouldHaveSize 2
            }
        }
        ResourceCounters.now().since(before).isZero shouldBe true
    }
})

/** Removes the white space, which a formatter may change. */
private fun String.words() = replace(Regex("\\s+"), "")
