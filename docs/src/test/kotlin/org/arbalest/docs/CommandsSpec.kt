// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.ints.shouldBeGreaterThan
import java.io.File

/** Tests that the modules, specs and tests that the pages and CI name exist: a filter without a match runs no test. */
class CommandsSpec : FunSpec({
    val pages = (listOf("README.md", "CONTRIBUTING.md") + below("docs") { it.extension == "md" } +
        below(".github/workflows") { true } + below(".ci") { true }).associateWith { read(it) }
    val lines = pages.flatMap { (page, text) -> commands(text).map { page to it } }

    fun wrong(faults: (String) -> List<String>) = lines.flatMap { (page, line) -> faults(line).map { "$page: $it" } }

    test("the pages and CI have commands of each kind") {
        listOf(MODULES, SPECS, TESTS, QUOTED).forEach { option ->
            lines.count { (_, line) -> option.containsMatchIn(line) } shouldBeGreaterThan 0
        }
    }

    test("each module after -pl exists") {
        wrong { line -> modules(line).filterNot { File("../$it/pom.xml").exists() } }.shouldBeEmpty()
    }

    test("each pattern in -Dtest matches a spec in the modules of its command") {
        wrong(::patternsWithoutSpec).shouldBeEmpty()
    }

    test("each filter in -Dkotest.filter.tests matches a test of the specs of its command") {
        wrong(::filtersWithoutTest).shouldBeEmpty()
    }

    test("each spec whose name is in backticks, or in a file of CI, exists") {
        val named = pages.mapValues { (page, text) -> (if (page.startsWith(".")) WORD else QUOTED).findAll(text) }
        named.flatMap { (page, names) ->
            names.map { it.groupValues[1] }
                .filterNot { name -> name in TIERS || name.startsWith("Foo") || specs.any { it.isNamed(name) } }
                .map { "$page: $it" }
        }.shouldBeEmpty()
    }

    test("a pattern of another module, and a filter without a test, are found") {
        val run = "./mvnw -pl docs -am test -Dtest='Commands*,RulesSpec,DeviceSpec'"
        patternsWithoutSpec(run) shouldContainExactly listOf("DeviceSpec")
        filtersWithoutTest("$run '-Dkotest.filter.tests=*after -pl exists'").shouldBeEmpty()
        val begin = "after -pl"
        filtersWithoutTest("$run '-Dkotest.filter.tests=*$begin'") shouldContainExactly listOf("*$begin")
        modules("./mvnw -pl '!samples,docs' -am test") shouldContainExactly listOf("samples", "docs")
    }

    test("a command goes on after a backslash, and in backticks over two lines") {
        commands("a \\\n  b\nrun `c\n  d` e\n```\nf\ng\n```\n") shouldContainExactly
            listOf("a b", "run `c d` e", "```", "f", "g", "```", "")
    }
})

private val NOT_READ = setOf("target", "src", ".git", "node_modules")

private val TIERS = setOf("SoakSpec", "StressSpec", "FuzzSpec", "EngineSpec")

/** Matches the value of an option in the group 1, which an apostrophe or a space ends. */
private fun option(name: String) = Regex("""(?<![\w-])-$name'?([^\s'"`]+)""")

private val MODULES = option("pl ")
private val SPECS = option("Dtest=")
private val TESTS = Regex("""-Dkotest\.filter\.tests=([^'"`]+)""")
private val QUOTED = Regex("""`(\*?[A-Z]\w*Spec)`""")
private val WORD = Regex("""(\b[A-Z]\w*Spec)\b""")

/** Matches a block or a span of code. */
private val CODE = Regex("""```.*?```|`[^`]+`""", RegexOption.DOT_MATCHES_ALL)

/** A spec with the names of its tests. */
private class Spec(private val path: String, val module: String, source: String) {
    private val name = path.substringAfterLast('/')

    /** The names without an interpolated part, since only a run of the spec knows the others. */
    val tests: List<String> by lazy {
        LITERAL.findAll(source.replace(JOINT, "")).map { it.groupValues[1].replace("\\\"", "\"") }
            .filterNot { '$' in it }.toList()
    }

    /** Returns whether a pattern of Surefire selects this spec. */
    fun isNamed(pattern: String): Boolean {
        val file = pattern.removePrefix("!").substringBefore('#').replace('.', '/')
        val regex = Regex(file.split("**/").joinToString("(?:.*/)?") { it.replace("*", "[^/]*") })
        return regex.matches(if ('/' in file) path else name)
    }

    /** Returns whether Kotest runs a test of this spec: each filter must match the test's path. */
    fun has(filters: List<String>): Boolean = tests.any { test ->
        filters.all { Regex(it.replace("*", ".*?")).matches("${path.replace('/', '.')}/$test") }
    }

    private companion object {
        val LITERAL = Regex("""\b(?:test|context|should)\(\s*"((?:\\.|[^"\\])*)"""")
        val JOINT = Regex(""""\s*\+\s*"""")
    }
}

private val SPEC_CLASS = Regex("""^(?:(?:public|internal|private|final) )*class (\w+Spec)\b""", RegexOption.MULTILINE)

private val specs: List<Spec> = below("") { it.name == "pom.xml" }.map { it.removeSuffix("pom.xml").removeSuffix("/") }
    .flatMap { module ->
        val sources = File("..", "$module/src").listFiles { it.name != "main" }.orEmpty()
        sources.flatMap { listOf(it.resolve("kotlin"), it.resolve("java")) }.flatMap { root ->
            root.walk().filter { it.extension in setOf("kt", "java") }.flatMap { file ->
                val source = file.readText()
                val folder = file.parentFile.relativeTo(root).invariantSeparatorsPath
                SPEC_CLASS.findAll(source).map { Spec("$folder/${it.groupValues[1]}", module, source) }
            }
        }
    }

private fun modules(line: String): List<String> =
    MODULES.findAll(line).map { it.groupValues[1] }.filterNot { '$' in it }.flatMap { it.split(',') }
        .map { it.removePrefix("!") }.toList()

private fun patterns(line: String): List<String> =
    SPECS.findAll(line).map { it.groupValues[1] }.filterNot { '$' in it }.flatMap { it.split(',') }.toList()

private fun patternsWithoutSpec(line: String): List<String> {
    val modules = modules(line)
    return patterns(line).filterNot { pattern ->
        specs.any { (modules.isEmpty() || it.module in modules) && it.isNamed(pattern) }
    }
}

private fun filtersWithoutTest(line: String): List<String> {
    val patterns = patterns(line)
    return TESTS.findAll(line).map { it.groupValues[1] }.filterNot { filter ->
        specs.any { spec -> patterns.any { spec.isNamed(it) } && spec.has(filter.split(',')) }
    }.toList()
}

/** Returns the lines of a text, in which a backslash continues a line, and a span of code in backticks may have two. */
private fun commands(text: String): List<String> = CODE.replace(text.replace(Regex("""\s*\\\n\s*"""), " ")) {
    if (it.value.startsWith("```")) it.value else it.value.replace(Regex("""\s+"""), " ")
}.lines()

private fun read(page: String) = File("..", page).readText()

private fun below(folder: String, wanted: (File) -> Boolean): List<String> =
    File("..", folder).walk().onEnter { it.name !in NOT_READ }.filter { it.isFile && wanted(it) }
        .map { it.relativeTo(File("..")).invariantSeparatorsPath }.sorted().toList()
