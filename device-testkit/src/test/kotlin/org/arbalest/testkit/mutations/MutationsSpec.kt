// SPDX-License-Identifier: Apache-2.0
package org.arbalest.testkit.mutations

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldBeUnique
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import java.io.File
import kotlin.io.path.Path

/** Holds `src/mutations` to the sources, the specs and the rules, and `docs/mutations.md` to it; whether they are caught, the profile sees. */
class MutationsSpec : FunSpec({
    val project = Path("..")
    val mutations = Mutation.all()

    test("the code that a mutation changes is there, once") {
        val sources = Mutation.sources(project)
        mutations.mapNotNull { mutation -> runCatching { mutation.mutated(sources) }.exceptionOrNull()?.let { "$mutation: ${it.message}" } }.shouldBeEmpty()
    }

    test("white space does not matter to what is found, but words and how often they are there do") {
        val change = Mutation.Change("A", listOf("  if (a<b) return c;", "d( e );"), listOf("return f;"))
        for (source in listOf("{ if (a<b) return c;\nd( e ); }", "{ if (a < b)\n      return c;\n    d(e); }")) change.applyTo(source) shouldBe "{ return f; }"
        for (source in listOf("if (a<b) returnc; d(e);", "if (a<b) return c; d(ee);", "if (a<b) return c; d(e); if (a<b) return c; d(e);")) {
            shouldThrow<IllegalStateException> { change.applyTo(source) }.message shouldContain "not once"
        }
    }

    test("the specs that a mutation names are there") {
        val classes = listOf("device-core", "device-testkit").flatMap { File(project.toFile(), "$it/src/test/kotlin").walk() }
            .filter { it.extension == "kt" }.flatMap { file -> Regex("""^(?:internal )?class (\w+)""", RegexOption.MULTILINE).findAll(file.readText()) }
            .map { it.groupValues[1] }
        mutations.associateWith { mutation -> mutation.specs.filter { spec -> classes.count { it == spec } != 1 } }
            .filterValues { it.isNotEmpty() }.toList().shouldBeEmpty()
    }

    test("the rules that are broken are in docs/rules.md") {
        val rules = File(project.toFile(), "docs/rules.md").readLines().map { it.removePrefix("| ").substringBefore(' ') }.toSet()
        mutations.filter { it.rule !in rules }.map { "$it" }.shouldBeEmpty()
    }

    test("docs/mutations.md has each mutation, and no other") {
        mutations.map { "$it" }.shouldBeUnique()
        val (there, wanted) = MutationTable(project.resolve("docs/mutations.md")).places() to mutations.map(MutationTable::place)
        withClue("without a row") { (wanted - there.toSet()).shouldBeEmpty() }
        withClue("without a mutation") { (there - wanted.toSet()).shouldBeEmpty() }
        there.shouldBeUnique()
    }

    context("of a run on broken code") {
        val began = Specs.BEGAN + "a test"

        test("a failed test is the catch, and none is none") {
            Outcome.of(Specs.ONE_FAILED, false, listOf(began, Specs.FAILED + "a test")) shouldBe Outcome.Caught("a test")
            Outcome.of(Specs.ALL_PASSED, false, listOf(began, began)) shouldBe Outcome.Passed(2)
            Outcome.of(null, false, listOf(began)) shouldBe Outcome.TimedOut
        }

        test("SIGABRT, SIGBUS and SIGSEGV are a crash, and so is what the JVM writes of an error") {
            for (code in listOf(134, 135, 139)) Outcome.of(code, false, listOf(began)) shouldBe Outcome.Caught("a crash of the JVM")
            Outcome.of(1, true, listOf(began)) shouldBe Outcome.Caught("a crash of the JVM")
        }

        test("any other exit code says nothing about the code, and neither does a run of no test") {
            for (code in listOf(1, 2, 137, 143)) Outcome.of(code, false, listOf(began, "why")).shouldBeInstanceOf<Outcome.Broken>().why shouldContain "why"
            for (code in listOf(Specs.ALL_PASSED, Specs.ONE_FAILED, 134, null)) {
                Outcome.of(code, false, listOf(Specs.FAILED + "a spec")).shouldBeInstanceOf<Outcome.Broken>().why shouldContain "no test ran"
            }
        }
    }
})
