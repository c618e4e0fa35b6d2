// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain

class SamplesSpec : FunSpec({
    val names = listOf("flights", "flights-java", "late", "late-java", "ticker", "kernel", "kernel-cuda", "devices",
        "arrow-cat", "arrow-convert")

    for (args in listOf(arrayOf(), arrayOf("--list"))) {
        test("${args.joinToString().ifEmpty { "no argument" }}: prints a line for each sample") {
            val run = captured { runSamples(*args) }
            run.code shouldBe 0
            run.error shouldBe ""
            run.output.lines().drop(3).filter { it.startsWith("|") }.map { it.split("|")[1].trim() }
                .filter { it.isNotEmpty() } shouldBe names
        }
    }

    for (name in names) {
        test("$name --help prints the usage") {
            val run = captured { runSamples(name, "--help") }
            run.code shouldBe 0
            run.output shouldContain "Usage: samples $name [-h]"
        }
    }

    test("an unknown name causes exit code 2 and suggests the similar sample") {
        val run = captured { runSamples("tikcer") }
        run.code shouldBe 2
        run.error.trimEnd() shouldBe "samples: unknown sample tikcer; --list prints all samples. Did you mean ticker?"
    }
})
