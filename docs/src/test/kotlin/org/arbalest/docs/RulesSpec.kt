// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldBeUnique
import io.kotest.matchers.collections.shouldContainExactly
import java.io.File

/** Matches the first column of a row of docs/rules.md. */
private val ROW = Regex("""^\| ([A-Z]+-\d{2}) \|""", RegexOption.MULTILINE)

private val RULES = ROW.findAll(File("../docs/rules.md").readText()).map { it.groupValues[1] }.toList()

/** Matches the id of a rule, with the prefixes that docs/rules.md has. */
private val ID =
    Regex(RULES.map { it.substringBefore('-') }.distinct().joinToString("|", """\b(?:""", """)-\d{2}\b"""))

/** Matches the ids at the end of a test's name, for the rules that it tests: `… [OWN-06, ARR-12]`. */
private val NAMED = Regex("""\[(?:[A-Z]+-\d{2}(?:, )?)+](?=")""")

/** Matches the ids of rules in brackets, whether docs/rules.md has them or not. */
private val CITED = Regex("""\[([A-Z]{2,4}-\d{1,3}(?:, [A-Z]{2,4}-\d{1,3})*)](?=")""")

/** Matches the place where two literals of a name are joined. */
private val JOINT = Regex(""""\s*\+\s*"""")

/** Matches a test's name. */
private val NAME = Regex("""(?:test|context|should)\(\s*((?:"(?:\\.|[^"\\])*"\s*\+?\s*)+)""")

private val AT_THE_END = Regex("""\[[A-Z]+-\d{2}(?:, [A-Z]+-\d{2})*]"\s*$""")

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
    val kotlin = sources.keys.filter { it.extension == "kt" }.associateWith { it.readText().replace(JOINT, "") }

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
        kotlin.mapValues { (_, text) ->
            NAME.findAll(text).map { it.groupValues[1] }.filter { ID.containsMatchIn(it.replace(AT_THE_END, "")) }
                .toList()
        }.filterValues { it.isNotEmpty() }.toList().shouldBeEmpty()
    }

    test("each id in brackets at the end of a test's name is a rule") {
        val cited = kotlin.mapValues { (_, text) ->
            CITED.findAll(text).flatMap { it.groupValues[1].split(", ") }.toSet() - RULES.toSet()
        }
        cited.filterValues { it.isNotEmpty() }.toList().shouldBeEmpty()
    }

    test("each row of docs/rules.md that begins with an id has a well-formed id") {
        val first = File("../docs/rules.md").readLines().mapNotNull { Regex("""^\| *([A-Z]+-\S+)""").find(it) }
        first.map { it.groupValues[1] } shouldContainExactly RULES
    }
})
