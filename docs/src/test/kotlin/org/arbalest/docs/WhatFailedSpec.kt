// SPDX-License-Identifier: Apache-2.0
package org.arbalest.docs

import io.kotest.common.KotestInternal
import io.kotest.core.spec.SpecRef
import io.kotest.core.spec.style.FunSpec
import io.kotest.engine.TestEngineLauncher
import io.kotest.engine.listener.CollectingTestEngineListener
import io.kotest.engine.spec.tempdir
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import java.io.File
import java.nio.file.Path

/** Tests the output of `mvnw` after a failed build: the command for a failed test runs exactly that test. */
class WhatFailedSpec : FunSpec({
    val printed by lazy { printed(tempdir()) }

    test("the output has each failed test with its reason, and a command with its module, spec and profile") {
        printed shouldContain "${NAMES.size} tests failed:"
        printed shouldContain "some-module: ToldSpec: ${NAMES[0]}\n  expected:<1> but was:<2>\n  ./mvnw -pl " +
            "some-module -am test -Dtest=ToldSpec '-Dkotest.filter.tests="
    }

    val skipped = "<testcase name=\"one\" classname=\"ToldSpec\"><skipped/></testcase>"

    test("a filter that matches no test fails a successful build") {
        val project = tempdir()
        report(project, skipped)
        whatFailed(project, 0).also { it.code shouldBe 1 }.output shouldContain "has run no test"
    }

    test("a filter that matches a test does not fail the build") {
        val project = tempdir()
        report(project, "$skipped<testcase name=\"two\" classname=\"ToldSpec\"/>")
        whatFailed(project, 0).also { it.code shouldBe 0 }.output shouldBe ""
    }

    for (name in NAMES) {
        test("the filter for \"$name\" runs only that test") {
            val block = printed.substringAfter("ToldSpec: $name\n")
            val filter = block.substringAfter("'-D$FILTER=").substringBefore("'")
            executed(filter) shouldContainExactly listOf(inContext(name))
        }
    }
})

private const val CONTEXT = "a context:/"

private fun inContext(name: String): String = name.removePrefix(CONTEXT)

private const val FILTER = "kotest.filter.tests"

private val NAMES = listOf("one [OWN-01, ARR-12]", "1 + 1 is 2, \"quoted\" (or 'so'); \$HOME & more", "… it goes on",
    "one", "1/2 is a half", "a context:/one", "a context:/two <x>")

/** A spec that the build does not run, since its name does not end in Spec. */
private class Reported : FunSpec({
    for (name in NAMES.filter { CONTEXT !in it } + "one more") test(name) {}
    context("a context:") {
        for (name in NAMES.filter { CONTEXT in it }) test(inContext(name)) {}
    }
})

@OptIn(KotestInternal::class)
private suspend fun executed(filter: String): List<String> {
    val results = CollectingTestEngineListener()
    System.setProperty(FILTER, filter)
    try {
        TestEngineLauncher().withListener(results)
            .withSpecRefs(SpecRef.Reference(Reported::class, Reported::class.java.name)).execute()
    } finally {
        System.clearProperty(FILTER)
    }
    return results.tests.filter { (test, result) -> result.isSuccess && test.name.name != "a context:" }
        .map { (test, _) -> test.name.name }
}

private fun report(project: File, tests: String) {
    val reports = File(project, "some-module/target/surefire-reports").apply { mkdirs() }
    File(reports, "TEST-org.arbalest.docs.ToldSpec.xml").writeText("<testsuite>$tests</testsuite>")
}

private fun whatFailed(project: File, exitCode: Int) =
    run(Path.of(System.getProperty("java.home"), "bin", "java").toString(), File("../.mvn/WhatFailed.java").path,
        project.path, "0", "$exitCode")

private fun printed(project: File): String {
    fun xml(text: String) = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;")
        .replace("\n", "&#10;")
    val tests = NAMES.joinToString("") {
        "<testcase name=\"${xml(it)}\" classname=\"org.arbalest.docs.ToldSpec\"><failure " +
            "message=\"${xml("expected:<1> but was:<2>\nmore")}\">at</failure></testcase>"
    }
    report(project, tests)
    val run = whatFailed(project, 1)
    run.code shouldBe 0
    return run.output
}
