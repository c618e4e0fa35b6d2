// SPDX-License-Identifier: Apache-2.0
package org.arbalest.consumers

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.shouldBe

/**
 * Tests that a build is reproducible. The staged artifacts were built from a copy of the sources in another folder, on
 * the same JDK, since the manifests name it. Their jars must equal those of this build.
 */
class SameBytesSpec : FunSpec({
    for (module in JARS) {
        for (ending in listOf(".jar", "-sources.jar")) {
            test("$module$ending has the same bytes in two builds") {
                val here = ROOT.resolve("$module/target/${artifact(module)}-$VERSION$ending")
                val there = Staged.file(module, ending)
                val (ours, copied) = entries(here).toSet() to entries(there).toSet()
                withClue("in this build only; ./mvnw clean removes files of deleted sources") {
                    (ours - copied).shouldBeEmpty()
                }
                withClue("in the copy only") { (copied - ours).shouldBeEmpty() }
                ours.filter { name -> !(content(here, name) contentEquals content(there, name)) }.shouldBeEmpty()
                here.readBytes().contentEquals(there.readBytes()) shouldBe true
            }
        }
    }
})
