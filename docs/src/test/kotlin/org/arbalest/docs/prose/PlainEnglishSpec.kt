// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs.prose

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.io.File

private val ROOT = File("..")

private fun read(path: String) = ROOT.resolve(path).readText()

private fun words(text: String) = text.split(Regex("\\s+")).count { word -> word.any(Char::isLetterOrDigit) }

private fun withoutTables(page: String) = page.lines().filterNot { it.startsWith("|") }.joinToString("\n")

/** Holds README, docs, Javadoc, KDoc, comments and string literals to plain English. */
class PlainEnglishSpec : FunSpec({
    val files = ROOT.walk().onEnter { it.name !in setOf("target", ".git", "node_modules", "prose") }
        .filter { it.extension in EXTENSIONS }
        .map { it.relativeTo(ROOT).invariantSeparatorsPath }.toList()
    val faults = files.parallelStream().map { it to faults(it, read(it)) }.toList().toMap()
        .filterValues { it.isNotEmpty() }

    test("the sources of all modules are read") {
        files.size shouldBeGreaterThan 1000
    }

    test("no file has a banned construct or a sentence that is too long") {
        faults.values.flatten().joinToString("\n") shouldBe ""
    }

    test("half of the sentences of a Markdown page have at most 20 words") {
        for (page in files.filter { it.endsWith(".md") })
            withClue(page) { medianSentence(page, read(page)) shouldBeLessThanOrEqual 20 }
    }

    test("README has at most 700 words before its links, a guide 1,200 without tables, a decision 400") {
        val pages = files.filter { it.startsWith("docs/") && it.endsWith(".md") }
        words(read("README.md").substringBefore("## Links")) shouldBeLessThanOrEqual 700
        for (guide in pages.filter { it.startsWith("docs/guides/") })
            withClue(guide) { words(withoutTables(read(guide))) shouldBeLessThanOrEqual 1200 }
        for (record in pages.filter { it.startsWith("docs/decisions/") && !it.endsWith("README.md") })
            withClue(record) { words(read(record)) shouldBeLessThanOrEqual 400 }
    }

    for (ban in BANS) test("the check finds the construct in '${ban.example}'") {
        val found = faults("page.md", ban.example)
        withClue(found) { found.any { it.endsWith(" — ${ban.instead}") } shouldBe true }
        ban.findIn(Text(1, ban.example, Text.Kind.PROSE)).toList() shouldHaveSize 1
    }

    test("plain sentences, questions and code pass") {
        faults(
            "page.md",
            "The caller releases the batch. What does `whoever` mean? See [the driver's page](what-is.md).\n\n" +
                "```\nnobody is told what is left\n```\n",
        ).shouldBeEmpty()
    }

    test("a sentence of 41 words is too long") {
        faults("page.md", List(41) { "word" }.joinToString(" ", postfix = "."))
            .single() shouldContain "a sentence of 41 words"
        faults("page.md", List(40) { "word" }.joinToString(" ", postfix = ".")).shouldBeEmpty()
    }

    test("comments, documentation and literals of sources are read, and code is not") {
        val source = """
            /**
             * Returns what is left, as {@code nobody} says.
             *
             * @param count how many whoever asks for gets
             */
            int left(int count) { // the driver
              // tells it
              return nobody("the rest is " + "told to C"); // whatIs
            }
        """.trimIndent()
        val found = faults("A.java", source).map {
            it.substringAfter('"').substringBefore('"') to it.substringAfter(':').substringBefore(':')
        }
        found.toSet() shouldBe
            setOf("what is" to "2", "whoever" to "4", "tells" to "6", "told" to "8")
    }

    test("sentences end at a point before a capital letter") {
        sentences("One two. Three (e.g. four) five: «» six!").map { it.size } shouldContainExactly listOf(2, 6)
    }
})
