// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldBeNull
import io.kotest.matchers.shouldBe
import org.apache.arrow.memory.RootAllocator
import org.arbalest.device.ipc.IpcType.Shape
import org.arbalest.support.ResourceCountersExtension

/** Tests each type by itself in each shape, format, compression and alignment, with Arrow Java on the other side. */
class ArrowJavaTypesSoakSpec : FunSpec({
    extension(ResourceCountersExtension)

    for (type in IpcType.all) {
        test("$type is the same in this library and in Arrow Java, in both directions [FIL-01]") {
            RootAllocator().use { allocator ->
                for (shape in Shape.entries) IpcType.batch(listOf(type), shape).use { batch ->
                    val javaCan = JavaLimit.of(type, shape) == null
                    Format.each { format, codec ->
                        withClue("$shape, $format, $codec") {
                            for (alignment in if (codec == IpcCompression.NONE) listOf(8, 64) else listOf(8)) {
                                val options = IpcWriteOptions.defaults().withCompression(codec).withAlignment(alignment)
                                val bytes = format.write(options, batch, batch)
                                format.read(bytes) { it.difference(batch).shouldBeNull() } shouldBe 2
                                if (javaCan) ArrowJava.shouldRead(format, bytes, allocator, batch, batch)
                            }
                            if (javaCan) format.shouldRead(ArrowJava.write(format, codec, batch, allocator), batch)
                        }
                    }
                }
            }
        }
    }
})
