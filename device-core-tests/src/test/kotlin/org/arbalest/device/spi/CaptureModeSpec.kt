// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty

/** The capture mode of threads during captures of other threads, on a runtime that returns scripted answers. */
class CaptureModeSpec : FunSpec({
    test("a thread that could not be relaxed is relaxed on a later attempt, and then makes no more calls [DEV-23]") {
        val codes = ArrayDeque(listOf(Answer.UNKNOWN, Answer.CANNOT_TELL, Answer.DONE))
        val said = mutableListOf<Int>()
        val mode = CaptureMode({ codes.removeFirst().ordinal }, { Answer.entries[it] }, said::add)
        repeat(5) { mode.relaxForGood() }
        codes.shouldBeEmpty() // a fourth call would throw because of the empty queue
        mode.relax() // the thread is relaxed
        mode.restore() // the thread stays relaxed
        said.shouldBeEmpty()
    }
})
