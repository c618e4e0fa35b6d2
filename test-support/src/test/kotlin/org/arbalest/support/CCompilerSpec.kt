// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

class CCompilerSpec : FunSpec({
    test("a missing compiler is reported as a reason, not as an error") {
        CCompiler.find("cc", "") shouldBe CCompiler.Missing("no C compiler: cc is not on the PATH")
    }
})
