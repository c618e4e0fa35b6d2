// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import org.arbalest.interop.Engine
import org.arbalest.interop.Kept
import org.arbalest.interop.TypeCase
import java.lang.foreign.MemorySegment

/** Arrow C++'s arrays and its bridge, without its query engine. Each stream that it takes is fully validated. */
internal object ArrowCppEngine : Engine {
    override val name: String get() = "Arrow C++"
    override val missing: String? get() = ArrowCpp.shimMissing
    override val refuses: Map<String, String> = emptyMap()

    override fun take(stream: MemorySegment, type: TypeCase): Kept {
        val chunks = CppArray.Chunks.of(stream)
        return object : Kept {
            init {
                chunks.validate()
            }

            override fun differences(): Long = if (chunks.areEqual(1, 2)) 0 else 1

            override fun give(out: MemorySegment) = chunks.export(out)

            override fun close() = chunks.close()
        }
    }
}
