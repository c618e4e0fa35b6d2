// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.core.spec.style.FunSpec
import org.arbalest.support.ResourceCountersExtension

/** A stream may end without an end mark, but only between two messages. */
class ArrowStreamTruncationSpec : FunSpec({
    extension(ResourceCountersExtension)

    for (input in Inputs.streams) {
        test("a stream with dictionaries, truncated in a message at any byte, is rejected by $input [FIL-05]") {
            Truncation.of(Subjects.deltas(IpcCompression.NONE), input, step = 1)
        }

        test("a stream with every type, truncated in a message at some bytes, is rejected by $input [FIL-05]") {
            Truncation.of(Subjects.someTypes(IpcCompression.LZ4_FRAME, columns = 12), input, step = 61)
        }
    }
})
