// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.string.shouldContain
import org.apache.arrow.c.Data
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.FieldVector

/** Tests that the specs run with the expected version of Arrow Java, once for each supported version. */
class ArrowVersionSpec : FunSpec({
    val version = System.getProperty("arrow.version")

    test("the class path has the Arrow Java version of this run").config(enabled = version != null) {
        for (type in listOf(FieldVector::class, BufferAllocator::class, Data::class))
            type.java.protectionDomain.codeSource.location.path shouldContain "-$version.jar"
    }
})
