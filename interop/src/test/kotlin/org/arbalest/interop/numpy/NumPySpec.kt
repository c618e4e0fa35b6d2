// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.numpy

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.interop.Had
import org.arbalest.support.ChildJvm

/** NumPy and tensors of DLPack, both ways; each NumPy in a JVM of its own. */
class NumPySpec : FunSpec({
    for (numPy in NumPy.entries) {
        context("NumPy ${numPy.version}") {
            val needed = Had.needed { numPy.missing }
            val said by lazy { ChildJvm.run(NumPyProgram::class, numPy.name) }

            test("NumPy ${numPy.version} is there, and ends [DLP-14]").config(extensions = listOf(needed)) {
                withClue(said.output) {
                    said.output shouldContain "NumPy ${numPy.version}."
                    said.output shouldContain "all said"
                    said.exitCode shouldBe 0
                }
            }

            for (form in numPy.forms) for (what in NumPyCases.names) {
                test("NumPy ${numPy.version}, $form: $what [DLP-14]").config(extensions = listOf(needed)) {
                    withClue(said.output) { said.output.lines().contains("good: $form $what") shouldBe true }
                }
            }
        }
    }
})
