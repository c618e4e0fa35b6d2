// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.access

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import java.lang.foreign.Linker

class NativeAccessSpec : FunSpec({
    test("a JVM that has no linker for native code is named in the error, with a JVM that has one [DEV-20]") {
        val jvm = System.getProperty("java.vm.name") + " on " + System.getProperty("os.arch")
        val why = NativeAccess.whyNoLinker { throw UnsupportedOperationException() }
        why shouldBe "this JVM, $jvm, cannot call native code: java.lang.foreign has no linker for it; run on a JVM " +
            "with a JIT compiler, such as HotSpot's Server VM"
    }

    test("a JVM with a linker has no such error [DEV-20]") {
        NativeAccess.whyNoLinker(Linker::nativeLinker).shouldBeNull()
    }
})
