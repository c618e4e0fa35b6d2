// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.apache.arrow.memory.RootAllocator
import org.arbalest.device.ipc.IpcType.Shape
import org.arbalest.support.ResourceCountersExtension

/** Tests that Arrow Java reads what this library writes. [ArrowJavaTypesSoakSpec] tests each type by itself. */
class ArrowJavaReadsSpec : FunSpec({
    extension(ResourceCountersExtension)

    for (shape in listOf(Shape.WHOLE, Shape.SLICED, Shape.EMPTY_SLICE)) {
        for ((canBeCut, types) in JavaLimit.without(shape).groupBy { it.canBeCut }) test(
            "Arrow Java reads the values that were written of all types whose slices are " +
                (if (canBeCut) "cut out of the buffers" else "copied") + ": $shape",
        ) {
            RootAllocator().use { allocator ->
                IpcType.batch(types, shape).use { batch ->
                    Format.some { format, codec ->
                        withClue("$format, $codec") {
                            val bytes = format.write(IpcWriteOptions.defaults().withCompression(codec), batch)
                            ArrowJava.shouldRead(format, bytes, allocator, batch)
                        }
                    }
                }
            }
        }
    }

    test("Arrow Java reads the schema that was written [FIL-01]") {
        RootAllocator().use { allocator ->
            val types = JavaLimit.without(Shape.WHOLE).filter { !it.isEncoded }
            IpcType.batch(types, Shape.WHOLE).use { batch ->
                for (format in Format.entries) {
                    ArrowJava.read(format, format.write(IpcWriteOptions.defaults(), batch), allocator) {
                        it.schema() shouldBe batch.schema()
                    } shouldBe 1
                }
            }
        }
    }

    test("Arrow Java reads every batch of a writer with a limit of rows, at either alignment [FIL-01]") {
        RootAllocator().use { allocator ->
            IpcType.batch(JavaLimit.without(Shape.WHOLE), Shape.WHOLE).use { batch ->
                for (alignment in listOf(8, 64)) {
                    val options = IpcWriteOptions.defaults().withAlignment(alignment).withMaxBatchRows(15)
                    for (format in Format.entries) {
                        var row = 0L
                        ArrowJava.read(format, format.write(options, batch), allocator) { part ->
                            batch.slice(row, part.length()).use { part.valueDifference(it) shouldBe null }
                            row += part.length()
                        } shouldBe 3
                        row shouldBe batch.length()
                    }
                }
            }
        }
    }

    for ((type, shape) in JavaLimit.types) {
        val limit = JavaLimit.of(type, shape)!!
        test("Arrow Java cannot read $type, $shape: $limit") {
            RootAllocator().use { allocator ->
                IpcType.batch(listOf(type), shape).use { batch ->
                    for (format in Format.entries) {
                        val bytes = format.write(IpcWriteOptions.defaults(), batch)
                        val error = shouldThrow<Exception> { ArrowJava.shouldRead(format, bytes, allocator, batch) }
                        error.message shouldContain limit.message
                    }
                }
            }
        }
    }
})
