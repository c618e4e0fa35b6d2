// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.tensors

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldNotContain
import org.arbalest.support.CCompiler
import org.arbalest.support.ChildJvm
import org.arbalest.support.Leaving

/** Exports that C deletes when the JVM ends. Each case runs in its own JVM. */
class DLPackExportSoakSpec : FunSpec({
    extension(CCompiler.needed)

    for (form in DLPack.entries) for (how in listOf(Leaving.RETURN, Leaving.SYSTEM_EXIT)) {
        test("$form: C can call the deleter in an atexit handler after $how [DLP-07]") {
            val child = ChildJvm.run(TensorAtExit::class, form.name, how.name)
            withClue(child.output) {
                child.output shouldContain "leaving"
                child.output shouldContain "deleted at the end"
                child.output shouldNotContain "fatal error"
                child.exitCode shouldBe how.code
            }
        }
    }
})
