// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.core.spec.style.FunSpec
import org.arbalest.support.ResourceCountersExtension

/** The whole of [ArrowStreamTruncationSpec]. */
class ArrowStreamTruncationSoakSpec : FunSpec({
    extension(ResourceCountersExtension)

    for (compression in IpcCompression.entries) for (input in Inputs.streams) {
        test("a stream with every type, $compression, truncated in a message, is rejected by $input [FIL-05]") {
            Truncation.of(Subjects.someTypes(compression, columns = 12), input, step = 1)
        }
    }
})
