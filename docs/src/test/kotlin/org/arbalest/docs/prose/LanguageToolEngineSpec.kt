// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs.prose

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveAtLeastSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.io.File

/** Has LanguageTool proofread README and guides. Maven resolves it in the full tier only. */
class LanguageToolEngineSpec : FunSpec({
    fun proofread(paragraphs: List<String>): String {
        val input = File.createTempFile("paragraphs", ".txt").apply { writeText(paragraphs.joinToString("\n")) }
        val errors = File.createTempFile("errors", ".txt")
        try {
            val java = File(System.getProperty("java.home"), "bin/java").path
            val process = ProcessBuilder(
                java, "@target/languagetool.args", "src/languagetool/Proofread.java", input.path,
                "src/languagetool/words.txt", "src/languagetool/rules.txt",
            ).redirectError(errors).start()
            val output = process.inputStream.bufferedReader().readText()
            val status = process.waitFor()
            withClue({ errors.readText() }) { status shouldBe 0 }
            return output
        } finally {
            input.delete()
            errors.delete()
        }
    }

    test("README and guides have no mistake that LanguageTool finds") {
        val guides = File("../docs/guides").listFiles { file -> file.extension == "md" }!!.sorted()
        val pages = listOf(File("../README.md")) + guides
        val paragraphs = pages.flatMap { page ->
            texts(page.name, page.readText()).filter { it.kind == Text.Kind.PROSE }
                .map { "${page.name}:${it.line}\t${it.words.replace(CODE, "Item").replace(Regex("\\s+"), " ")}" }
        }
        paragraphs shouldHaveAtLeastSize 100
        proofread(paragraphs) shouldBe ""
    }

    test("a mistake is found") {
        proofread(listOf("page:1\tThis are a test.")) shouldContain "page:1: \"This\""
    }
})
