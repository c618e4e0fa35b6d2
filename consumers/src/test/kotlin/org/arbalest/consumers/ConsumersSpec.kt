// SPDX-License-Identifier: Apache-2.0
package org.arbalest.consumers

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContain
import io.kotest.matchers.collections.shouldContainAll
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import java.io.File
import java.nio.file.Files

/** Tests that projects of users build and run against the staged artifacts. */
class ConsumersSpec : FunSpec({
    val builds = Builds(listOf("kotlin", "module-path", "class-path", "database").associateWith { Consumer(it) })

    test("a project on the module path requires core, and passes a stream to C and back") {
        val printed = builds.printedBy("module-path")
        printed.lines() shouldContainAll listOf("total 42.0", "module org.arbalest.device")
        printed.shouldBeStaged()
    }

    test("a project on the class path passes an array to C and back, and finds all its backends") {
        val printed = builds.printedBy("class-path")
        printed.lines() shouldContainAll
            listOf("symbols ABCD", "backend CPU", "backend OPENCL", "backend CUDA", "backend ROCM")
        printed.shouldBeStaged()
    }

    test("a Kotlin project collects a stream from C as a flow, and runs leak-check and the testkit's contract") {
        val printed = builds.printedBy("kotlin")
        printed.lines() shouldContain "total 42.0"
        printed shouldContain Regex("""Tests run: [1-9]\d+, Failures: 0, Errors: 0, Skipped: \d+""")
        printed.shouldBeStaged()
    }

    test("a project queries DuckDB by a connection profile, with a pool and with parameters by value") {
        val printed = builds.printedBy("database")
        printed.lines() shouldContainAll listOf("late 2", "connections 1")
        printed.shouldBeStaged()
    }

    test("a project without the staged repository finds no artifact of this build") {
        deleted(File(Consumer.repository, "org/arbalest"))
        Consumer("class-path").run(Consumer.nowhere, mayFail = true) shouldContain "org.arbalest:arbalest-bom:pom:"
    }

    test("deleting a folder does not delete the targets of its links") {
        val kept = File("target/kept").apply { mkdirs() }.resolve("file").apply { writeText("kept") }
        val folder = File("target/with-link").apply { mkdirs() }
        Files.createSymbolicLink(folder.resolve("link").toPath(), kept.parentFile.absoluteFile.toPath())
        deleted(folder).exists() shouldBe false
        kept.readText() shouldBe "kept"
    }
})

private fun String.shouldBeStaged() {
    lines().single { it.startsWith("from ") }.removePrefix("from ") shouldStartWith
        "file:${Consumer.repository.toURI().path}org/arbalest/arbalest-device-core/"
}
