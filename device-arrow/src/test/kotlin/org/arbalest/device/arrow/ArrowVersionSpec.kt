// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.string.shouldContain
import org.apache.arrow.c.Data
import org.apache.arrow.memory.BufferAllocator
import org.apache.arrow.vector.FieldVector

/** The specs run once with each version of Arrow Java that is promised. */
class ArrowVersionSpec : FunSpec({
    val version = System.getProperty("arrow.version")

    test("Arrow Java is that of the run").config(enabled = version != null) {
        for (type in listOf(FieldVector::class, BufferAllocator::class, Data::class))
            type.java.protectionDomain.codeSource.location.path shouldContain "-$version.jar"
    }
})
