// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.async.AsyncQuirk
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.support.outcome
import org.arbalest.support.CCompiler
import org.arbalest.support.I64
import org.arbalest.support.NativeLibrary
import org.arbalest.support.PTR
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.invoke.MethodHandle

/**
 * Recognition of Arrow C++ by the library that contains its callbacks, so that applications need not name its quirk.
 */
class ArrowCppSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun cancels(library: NativeLibrary, vararg quirks: AsyncQuirk): Long {
        fun function(name: String, type: FunctionDescriptor): MethodHandle =
            Linker.nativeLinker().downcallHandle(library.findOrThrow(name), type)

        var producer = MemorySegment.NULL
        val start = function("small_start", FunctionDescriptor.of(PTR, PTR))
        val arrays = CData.importAsyncStream(CImport.DEVICE.quirks(*quirks),
            { handler -> producer = start.invoke(handler) as MemorySegment })
        arrays.close()
        val cancels = function("small_cancels", FunctionDescriptor.of(I64, PTR)).invoke(producer) as Long
        function("small_end", FunctionDescriptor.ofVoid(PTR)).invoke(producer)
        arrays.released().outcome().getOrThrow()
        return cancels
    }

    test("a producer in a library like Arrow C++'s is cancelled only while its struct certainly exists [ASY-29]") {
        cancels(NativeLibrary.compile("peer/arrow_alike.c", "peer/small_producer.h")) shouldBe 0
    }

    test("the same producer in another library is cancelled at once [ASY-29]") {
        cancels(NativeLibrary.compile("peer/arrow_unlike.c", "peer/small_producer.h")) shouldBe 1
    }

    test("a quirk overrides the recognition either way, but both quirks together are rejected [ASY-29]") {
        cancels(NativeLibrary.compile("peer/arrow_alike.c", "peer/small_producer.h"),
            AsyncQuirk.PRODUCER_STAYS) shouldBe 1
        cancels(NativeLibrary.compile("peer/arrow_unlike.c", "peer/small_producer.h"),
            AsyncQuirk.PRODUCER_ENDS_EARLY) shouldBe 0
        shouldThrow<IllegalArgumentException> {
            CData.importAsyncStream(
                CImport.DEVICE.quirks(AsyncQuirk.PRODUCER_STAYS, AsyncQuirk.PRODUCER_ENDS_EARLY), {},
            )
        }
    }
})
