// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import kotlinx.coroutines.runBlocking
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import java.io.File

class ReadmeSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("the README's code is the code of DuckDbSum.kt and DuckDbToC.java") {
        val sources = mapOf("kotlin" to "DuckDbSum.kt", "java" to "DuckDbToC.java").mapValues { (language, name) ->
            "\n${File("src/main/$language/org/arbalest/samples/$name").readText().unindented()}\n"
        }
        val blocks = Regex("```(kotlin|java)\n(.*?)```", RegexOption.DOT_MATCHES_ALL)
            .findAll(File("../README.md").readText()).toList()
        blocks shouldHaveSize 2
        for ((language, code) in blocks.map { it.destructured }) {
            // A comment may stand between the imports and the program in the source.
            val (imports, program) = code.unindented().split("\n\n", limit = 2)
            val source = sources.getValue(language)
            source shouldContain "\n$imports\n"
            source.substringAfter("\n$imports\n") shouldContain "\n$program\n"
            imports.lines().all { it.startsWith("import ") } shouldBe true
        }
    }

    test("the README's programs have at most 15 lines") {
        val blocks = Regex("```(?:kotlin|java)\n(.*?)```", RegexOption.DOT_MATCHES_ALL)
            .findAll(File("../README.md").readText())
        for (block in blocks) block.groupValues[1].lines().count { it.isNotBlank() } shouldBeLessThanOrEqual 15
    }

    test("the README's Kotlin program sums a column of a query") {
        captured { 0.also { runBlocking { main() } } }.output.trim() shouldBe "249750.0"
        eventually("all resources are released") { Held.now().isZero }
    }

    test("the README's Java program passes the rows of a query to C").config(extensions = listOf(CCompiler.needed)) {
        val library = CSources.compile(tempdir().toPath(), SUM_PRICES)
        captured { 0.also { DuckDbToC.main(arrayOf("$library")) } }.output.trim() shouldBe "249750.0"
        eventually("all resources are released") { Held.now().isZero }
    }
})

/** The native library of the Java program, whose sources are listed by file name. */
private val SUM_PRICES = mapOf(
    "sum_prices.c" to "/org/arbalest/samples/c/sum_prices.c",
    "arbalest/arrow_abi.h" to "/META-INF/include/arbalest/arrow_abi.h",
)

private fun String.unindented() = lines().joinToString("\n") { it.trim() }.trim()
