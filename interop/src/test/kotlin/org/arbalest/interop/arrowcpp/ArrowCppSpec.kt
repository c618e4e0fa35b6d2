// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import org.arbalest.device.RecordBatchReader
import org.arbalest.interop.Batches
import org.arbalest.interop.EngineContract
import org.arbalest.interop.Types
import org.arbalest.interop.asStruct

internal class ArrowCppSpec : EngineContract(ArrowCppEngine) {
    init {
        test("Arrow C++ closes our stream before its first batch, and the stream closes its batches [STR-05]") {
            val type = Types.all.first { it.name == "struct" }
            val batches = List(3) { Batches.built(type, 10 * it, 10) }
            RecordBatchReader.of(Batches.schema(type), batches).asStruct(CppArray.Chunks::leave)
        }
    }
}
