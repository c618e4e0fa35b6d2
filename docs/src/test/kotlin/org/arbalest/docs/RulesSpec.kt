// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldBeUnique
import java.io.File

/** Matches the first column of a row of docs/rules.md. */
private val ROW = Regex("""^\| ([A-Z]+-\d{2}) \|""", RegexOption.MULTILINE)

private val RULES = ROW.findAll(File("../docs/rules.md").readText()).map { it.groupValues[1] }.toList()

/** Matches the id of a rule, with the prefixes that docs/rules.md has. */
private val ID =
    Regex(RULES.map { it.substringBefore('-') }.distinct().joinToString("|", """\b(?:""", """)-\d{2}\b"""))

/** Matches the ids at the end of a test's name, for the rules that it tests: `… [OWN-06, ARR-12]`. */
private val NAMED = Regex("""\[(?:[A-Z]+-\d{2}(?:, )?)+](?=")""")

/** Matches an id at the beginning of a test's name. */
private val IN_FRONT = Regex("""(?:test|context|should)\(\s*\$*"{1,3}${ID.pattern}[^\n]*""")

/** Tests that docs/rules.md and the sources have the same rules. */
class RulesSpec : FunSpec({
    val rows = File("../docs/rules.md").readLines().filter { it.startsWith("| ") }.map { line ->
        line.split('|').map(String::trim)
    }
        .filter { ID.matches(it[1]) }
    val sources = File("..").walk().onEnter { it.name !in setOf("target", ".git", "node_modules") }
        .filter {
            it.extension in setOf("java", "kt", "c", "h", "cc", "md") && it.name != "rules.md" &&
                it.name != "RulesSpec.kt"
        }
        .associateWith { file -> ID.findAll(file.readText()).map { it.value }.toSet() }
    val kotlin = sources.keys.filter { it.extension == "kt" }.associateWith { it.readText() }

    test("docs/rules.md contains each rule once, with a source and a sentence") {
        RULES.shouldBeUnique()
        rows.filter { it[2].isEmpty() || it[3].isEmpty() }.shouldBeEmpty()
    }

    test("docs/rules.md contains every rule that the sources cite") {
        sources.mapValues { (_, cited) -> cited - RULES.toSet() }.filterValues { it.isNotEmpty() }.toList()
            .shouldBeEmpty()
    }

    test("every rule in docs/rules.md has a test whose name ends with its id") {
        val named = kotlin.flatMap { (_, text) ->
            NAMED.findAll(text).flatMap { ID.findAll(it.value) }.map { it.value }
        }.toSet()
        (RULES - named).shouldBeEmpty()
    }

    test("the ids in a test's name are at its end, in brackets") {
        kotlin.mapValues { (_, text) -> IN_FRONT.findAll(text).map { it.value }.toList() }
            .filterValues { it.isNotEmpty() }.toList().shouldBeEmpty()
    }
})
