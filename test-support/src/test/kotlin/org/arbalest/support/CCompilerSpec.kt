// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe

class CCompilerSpec : FunSpec({
    test("a compiler that is not there is a reason, not an error") {
        CCompiler.find("cc", "") shouldBe CCompiler.Missing("no C compiler: cc is not on the PATH")
    }
})
