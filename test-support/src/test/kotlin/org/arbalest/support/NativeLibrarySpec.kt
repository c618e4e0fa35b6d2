// SPDX-License-Identifier: Apache-2.0
package org.arbalest.support

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.types.shouldBeSameInstanceAs
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.Linker
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout

class NativeLibrarySpec : FunSpec({
    extension(CCompiler.needed)

    test("a C source of test-support compiles with the header of device-core, and can be called") {
        val address = NativeLibrary.compile("checks/layout.c", "checks/checks.h", "peer/peer.h")
            .findOrThrow("arbalest_layout")
        val layout = Linker.nativeLinker().downcallHandle(address, FunctionDescriptor.of(ValueLayout.ADDRESS))
        (layout.invoke() as MemorySegment).textAt() shouldContain "ArrowDeviceArray 128"
    }

    test("the same sources are compiled and loaded only once") {
        NativeLibrary.compile("checks/layout.c", "checks/checks.h", "peer/peer.h") shouldBeSameInstanceAs
            NativeLibrary.compile("checks/layout.c", "checks/checks.h", "peer/peer.h")
    }
})
