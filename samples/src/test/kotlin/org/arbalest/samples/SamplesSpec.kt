// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain

class SamplesSpec : FunSpec({
    val names = listOf("flights", "flights-java", "ticker", "kernel", "kernel-cuda", "devices")

    for (args in listOf(arrayOf(), arrayOf("--list"))) {
        test("${args.joinToString().ifEmpty { "no argument" }}: each sample has its line") {
            val run = captured { runSamples(*args) }
            run.code shouldBe 0
            run.error shouldBe ""
            run.output.lines().drop(3).filter { it.startsWith("|") }.map { it.split("|")[1].trim() }
                .filter { it.isNotEmpty() } shouldBe names
        }
    }

    for (name in names) {
        test("$name --help tells what it does") {
            val run = captured { runSamples(name, "--help") }
            run.code shouldBe 0
            run.output shouldContain "Usage: samples $name [-h]"
        }
    }

    test("a name that is no sample's: the one that was meant, exit code 2") {
        val run = captured { runSamples("tikcer") }
        run.code shouldBe 2
        run.error.trimEnd() shouldBe "samples: there is no sample tikcer; --list has all. Did you mean ticker?"
    }
})
