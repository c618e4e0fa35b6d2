// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import org.arbalest.device.c.ArrowArrayStreamStruct
import org.arbalest.interop.Engine
import org.arbalest.interop.Kept
import org.arbalest.interop.TypeCase
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/** The query engine of Arrow C++, which passes each batch through its threads before the batch is kept. */
internal object AceroEngine : Engine {
    override val name: String get() = "Arrow C++'s Acero"
    override val missing: String? get() = ArrowCppEngine.missing
    override val refuses: Map<String, String> = emptyMap()

    override fun take(stream: MemorySegment, type: TypeCase): Kept = Arena.ofConfined().use { arena ->
        val out = arena.allocate(ArrowArrayStreamStruct.LAYOUT)
        Substrait.execute(Substrait.identity(listOf("i", "v", "w")), stream, out)
        ArrowCppEngine.take(out, type)
    }
}
