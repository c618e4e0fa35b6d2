// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import java.lang.foreign.FunctionDescriptor
import java.lang.foreign.ValueLayout.JAVA_LONG
import java.nio.ByteOrder

class CFunctionSpec : FunSpec({
    test("a function that cannot be linked has no handle of its own, and no exception") {
        val foreign = if (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN) ByteOrder.BIG_ENDIAN
        else ByteOrder.LITTLE_ENDIAN
        val type = FunctionDescriptor.ofVoid(JAVA_LONG.withOrder(foreign))
        CFunction.link(type) shouldBe null
        CFunction.linkShort(type) shouldBe null
    }
})
