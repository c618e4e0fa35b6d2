// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldBeUnique
import java.io.File

private val ID = Regex("""\b(?:SCH|ARR|VAL|READ|BLD|EXT|STAT|OBJ|REQ|OWN|STR|DEV|ASY|DLP|IPC|CHK|MOD|KOT|ARJ|ADB|SPK)-\d{2}\b""")

/** Holds docs/rules.md to the sources, and the sources to it. */
class RulesSpec : FunSpec({
    val rows = File("../docs/rules.md").readLines().filter { it.startsWith("| ") }.map { line -> line.split('|').map(String::trim) }
        .filter { ID.matches(it[1]) }
    val rules = rows.map { it[1] }
    val sources = File("..").walk().onEnter { it.name !in setOf("target", ".git", "node_modules") }
        .filter { it.extension in setOf("java", "kt", "c", "h", "cc", "md") && it.name != "rules.md" && it.name != "RulesSpec.kt" }
        .associateWith { file -> ID.findAll(file.readText()).map { it.value }.toSet() }

    test("a rule stands in docs/rules.md once, with a source and a sentence") {
        rules.shouldBeUnique()
        rows.filter { it[2].isEmpty() || it[3].isEmpty() }.shouldBeEmpty()
    }

    test("every rule that is cited is in docs/rules.md") {
        sources.mapValues { (_, cited) -> cited - rules.toSet() }.filterValues { it.isNotEmpty() }.toList().shouldBeEmpty()
    }

    test("every rule in docs/rules.md has a test that is named by it") {
        val named = sources.keys.filter { file -> file.extension == "kt" }.flatMap { file ->
            Regex("""(?:test|context|should)\(\s*\$?"{1,3}([^"\n]*)""").findAll(file.readText()).flatMap { ID.findAll(it.groupValues[1]) }.map { it.value }
        }.toSet()
        (rules - named).shouldBeEmpty()
    }
})
