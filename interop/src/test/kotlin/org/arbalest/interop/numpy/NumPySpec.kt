// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.numpy

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.interop.Had
import org.arbalest.support.ChildJvm

/** Tests DLPack tensors between the library and NumPy in both directions, each NumPy in a separate JVM. */
class NumPySpec : FunSpec({
    for (numPy in NumPy.entries) {
        context("NumPy ${numPy.version}") {
            val needed = Had.needed { numPy.missing }
            val said by lazy { ChildJvm.run(NumPyProgram::class, numPy.name) }

            test("NumPy ${numPy.version} runs in a separate JVM, which ends with exit code 0 [DLP-14]")
                .config(extensions = listOf(needed)) {
                    withClue(said.output) {
                        said.output shouldContain "NumPy ${numPy.version}."
                        said.output shouldContain "all cases ran"
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
