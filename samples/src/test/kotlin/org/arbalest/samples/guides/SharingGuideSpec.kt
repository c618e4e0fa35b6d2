// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.coroutines.*
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.samples.guides.sharing.main
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.printed
import java.lang.foreign.Arena
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.SymbolLookup
import java.lang.foreign.ValueLayout
import java.lang.invoke.MethodHandles
import java.lang.invoke.MethodType
import java.util.Optional

/** The programs of docs/guides/sharing.md. RecipesSpec runs their functions with other data. */
class SharingGuideSpec : FunSpec({
    extension(ResourceCountersExtension)

    for ((language, program) in mapOf("Java" to { SharingGuideJava.main(arrayOf()) }, "Kotlin" to { main() })) {
        test("$language: the program sends a batch to DuckDB and prints its answer") {
            printed { program() }.trim() shouldBe "4.25"
        }
    }

    test("Java: a native function consumes a stream") {
        Arena.ofConfined().use { arena ->
            val count = MethodHandles.lookup().findStatic(RowCounter::class.java, "count",
                MethodType.methodType(Long::class.javaPrimitiveType, MemorySegment::class.java))
            val function = Linker.nativeLinker().upcallStub(count,
                FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS), arena)
            val library = SymbolLookup { name -> Optional.of(function).filter { name == "count_rows" } }
            val batch = Devices.cpu().batch { float64("price", doubleArrayOf(1.5, 2.0, 4.25)) }
            RecordBatchReader.of(batch.schema(), listOf(batch)).use {
                NativeFunctionJava.countRows(library, it) shouldBe 3
            }
        }
    }
})

/** Replaces the native function: it owns the stream, and releases it. */
internal object RowCounter {
    @JvmStatic
    fun count(stream: MemorySegment): Long =
        CData.importStream(stream, CImport.DATA).useArrays { batches -> batches.sumOf { it.length() } }
}
