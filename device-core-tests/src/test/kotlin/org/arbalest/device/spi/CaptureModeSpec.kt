// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty

/** How threads stand beside captures of others', on a runtime that answers what a test says. */
class CaptureModeSpec : FunSpec({
    test("a thread of ours that could not be relaxed is when it is asked again, and no more calls are made " +
        "then [DEV-23]") {
        val codes = ArrayDeque(listOf(Answer.UNKNOWN, Answer.CANNOT_TELL, Answer.DONE))
        val said = mutableListOf<Int>()
        val mode = CaptureMode({ codes.removeFirst().ordinal }, { Answer.entries[it] }, said::add)
        repeat(5) { mode.relaxForGood() }
        codes.shouldBeEmpty() // which a fourth call would throw at
        mode.relax() // it is
        mode.restore() // and stays so
        said.shouldBeEmpty()
    }
})
