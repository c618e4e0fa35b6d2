// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.core.test.Enabled
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
import java.nio.file.Files
import java.nio.file.Path

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
        eventually("nothing is left") { Held.now().isZero }
    }

    test("the README's Java program passes the rows of a query to C").config(enabledOrReasonIf = { needsCompiler() }) {
        val folder = Files.createTempDirectory("readme")
        try {
            val library = compileSumPrices(folder)
            captured { 0.also { DuckDbToC.main(arrayOf("$library")) } }.output.trim() shouldBe "249750.0"
        } finally {
            folder.toFile().deleteRecursively()
        }
        eventually("nothing is left") { Held.now().isZero }
    }
})

/** With `CI=true` nothing is skipped. */
private fun needsCompiler(): Enabled {
    val missing = CCompiler.answer as? CCompiler.Missing
    return if (missing == null || System.getenv("CI") == "true") Enabled.enabled else Enabled.disabled(missing.reason)
}

/** Compiles the native side of the Java program with the flags that its source names. */
private fun compileSumPrices(folder: Path): Path {
    val compiler = when (val answer = CCompiler.answer) {
        is CCompiler.Found -> answer.path
        is CCompiler.Missing -> error(answer.reason)
    }
    for ((name, resource) in listOf(
        "sum_prices.c" to "/org/arbalest/samples/c/sum_prices.c",
        "arbalest/arrow_abi.h" to "/META-INF/include/arbalest/arrow_abi.h",
    )) {
        val file = folder.resolve(name)
        Files.createDirectories(file.parent)
        val text = checkNotNull(ReadmeSpec::class.java.getResource(resource)) { "no resource $resource" }.readText()
        Files.writeString(file, text)
    }
    val library = folder.resolve(System.mapLibraryName("sum_prices"))
    val command = listOf("$compiler", "-std=gnu11", "-O2", "-shared", "-fPIC", "-Wall", "-Werror", "-I", "$folder",
        "-o", "$library", "${folder.resolve("sum_prices.c")}")
    val process = ProcessBuilder(command).redirectErrorStream(true).start()
    val words = process.inputReader().readText()
    check(process.waitFor() == 0) { "${command.joinToString(" ")} failed:\n$words" }
    return library
}

private fun String.unindented() = lines().joinToString("\n") { it.trim() }.trim()
