// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async

import io.kotest.core.spec.style.FunSpec
import org.arbalest.support.CCompiler

class ForeignProducerSoakSpec : FunSpec({
    extension(CCompiler.needed)

    test(
        "ten thousand streams whose producer frees its struct early end, fail, are cancelled or closed at any point: " +
            "nothing is left [ASY-29, ASY-28]",
    ) {
        EarlyEnds.run(10_000)
    }
})
