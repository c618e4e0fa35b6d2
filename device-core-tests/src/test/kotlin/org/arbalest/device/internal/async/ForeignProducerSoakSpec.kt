// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async

import io.kotest.core.spec.style.FunSpec
import org.arbalest.support.CCompiler

class ForeignProducerSoakSpec : FunSpec({
    extension(CCompiler.needed)

    test("ten thousand streams of producers that are freed early leak nothing, however they end [ASY-29, ASY-28]") {
        EarlyEnds.run(10_000)
    }
})
