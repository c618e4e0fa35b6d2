// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.mutations

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.collections.shouldBeUnique
import io.kotest.matchers.ints.shouldBeInRange
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeInstanceOf
import kotlin.io.path.readLines
import kotlin.io.path.readText

/** Compares `src/mutations` with sources, specs and rules. The profile `mutations` runs the specs on broken code. */
class MutationsSpec : FunSpec({
    val mutations = Mutation.all()

    test("the code that a mutation changes occurs exactly once") {
        mutations.mapNotNull { mutation ->
            runCatching { mutation.mutated() }.exceptionOrNull()?.let { "$mutation: ${it.message}" }
        }.shouldBeEmpty()
    }

    test("there are at most 220 mutations, and each has its own title") {
        mutations.size shouldBeInRange 1..220
        mutations.map { "$it" }.shouldBeUnique()
    }

    test("the code to change is found regardless of white space and comments, and must occur once") {
        val change = Mutation.Change("A", listOf("  if (a<b) return c; // as ever", "d( e );"), listOf("return f;"))
        for (source in listOf(
            "{ if (a<b) return c;\nd( e ); }", "{ if (a < b)\n      return c;\n    d(e); }",
            "{ if (a < b) // why\n return c; /* and\n * why */ d(e); }",
        )) {
            change.applyTo(source) shouldBe "{ return f; }"
        }
        for (source in listOf(
            "if (a<b) returnc; d(e);", "if (a<b) /* x */ y; /* z */ return c; d(e);",
            "if (a<b) return c; d(ee);", "if (a<b) return c; d(e); if (a<b) return c; d(e);",
        )) {
            shouldThrow<IllegalStateException> { change.applyTo(source) }.message shouldContain "not once"
        }
    }

    test("each spec of a mutation has a test that matches the mutation's pattern") {
        // A spec that includes a contract has its tests elsewhere.
        fun Mutation.selects(spec: String) = "include(" in spec || tests.split('*').all(spec::contains)
        mutations.flatMap { mutation ->
            mutation.specs.filterNot { mutation.selects(Modules.spec(it).readText()) }.map {
                "$mutation: no ${mutation.tests} in $it"
            }
        }.shouldBeEmpty()
    }

    test("each rule that a mutation breaks is in docs/rules.md") {
        val rules = Modules.ROOT.resolve("docs/rules.md").readLines().map { it.removePrefix("| ").substringBefore(' ') }
        mutations.filter { it.rule !in rules }.map { "$it" }.shouldBeEmpty()
    }

    context("a run on broken code") {
        val began = Specs.BEGAN + "a test"

        test("the outcome is Caught if a test failed, Passed if none failed, and TimedOut without an exit code") {
            Outcome.of(Specs.ONE_FAILED, false, listOf(began, Specs.FAILED + "a test")) shouldBe
                Outcome.Caught("a test")
            Outcome.of(Specs.ALL_PASSED, false, listOf(began, began)) shouldBe Outcome.Passed(2)
            Outcome.of(null, false, listOf(began)) shouldBe Outcome.TimedOut
        }

        test("the outcome is a crash of the JVM after SIGABRT, SIGBUS or SIGSEGV, or with an error file") {
            for (code in listOf(134, 135, 139)) Outcome.of(code, false, listOf(began)) shouldBe
                Outcome.Caught("a crash of the JVM")
            Outcome.of(1, true, listOf(began)) shouldBe Outcome.Caught("a crash of the JVM")
        }

        test("the outcome is Broken after any other exit code, and if no test ran") {
            for (code in listOf(1, 2, 137, 143)) Outcome.of(code, false, listOf(began, "why"))
                .shouldBeInstanceOf<Outcome.Broken>().why shouldContain "why"
            for (code in listOf(Specs.ALL_PASSED, Specs.ONE_FAILED, 134, null)) {
                Outcome.of(code, false, listOf(Specs.FAILED + "a spec")).shouldBeInstanceOf<Outcome.Broken>()
                    .why shouldContain "no test ran"
            }
        }
    }
})
