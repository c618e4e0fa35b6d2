// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/** Joined batches with malformed text from C, whose data size is unknown: no read is beyond the array's last offset. */
class ArrayColumnsTextSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val text = Field.of("t", DataType.UTF8)

    /** Writes three rows of text; the third offset is far beyond the data, but the last is not. */
    fun write(out: MemorySegment) {
        PeerNodes.array(out, length = 3, buffers = 3)
        PeerNodes.setBuffer(out, 1, byteArrayOf(0, 0, 0, 0, 0, 0, 0, 0, 0, 0x94.toByte(), 0x35, 0x77, 5, 0, 0, 0))
        PeerNodes.setBuffer(out, 2, "abcde".encodeToByteArray())
    }

    fun imported(field: Field, write: (MemorySegment) -> Unit): DeviceArray = Arena.ofConfined().use { arena ->
        val out = arena.struct(StructKind.ARRAY)
        write(out)
        CData.importArray(out, CImport.DATA.schema(field))
    }

    /** Returns a struct of this text. */
    fun nested(name: String = "s"): RecordBatch = imported(Field.of(name, DataType.struct(text))) { out ->
        PeerNodes.array(out, length = 3, buffers = 1, children = 1)
        write(MemorySegment.ofAddress(RawArrowArray.child(out.address(), 0)).reinterpret(RawArrowArray.SIZE))
    }.asRecordBatch()

    fun rejected(block: () -> Unit) = shouldThrow<DeviceException> { block() }.errno() shouldBe Errno.EINVAL

    test("a slice of text from C keeps the limit of its whole array in a batch [SEL-25, READ-07]") {
        imported(text, ::write).use { it.slice(1, 1) }.use { slice ->
            rejected { slice.asColumn().getBytes(0) }
            RecordBatch.ofColumns(listOf("t"), listOf(slice)).use {
                it.length() shouldBe 1
                rejected { it.column("t").getBytes(0) }
                it.slice(0, 1).use { part -> rejected { part.column("t").getBytes(0) } }
                it.withColumn("u", slice).use { both ->
                    rejected { both.column("t").getBytes(0) }
                    rejected { both.column("u").getBytes(0) }
                }
                rejected { it.validate(Validation.FULL) }
                rejected { it.compact().use { } }
            }
        }
    }

    test("such text beside the library's own text keeps that limit [SEL-25, READ-07]") {
        imported(text, ::write).use { it.slice(1, 1) }.use { slice ->
            BatchBuilder.of(Devices.cpu(), 1).use { it.utf8("own", listOf("abc")).build() }.use { own ->
                own.withColumn("t", slice).use {
                    rejected { it.column("t").getBytes(0) }
                    it.column("own").getString(0) shouldBe "abc"
                }
            }
        }
    }

    test("such text below a struct keeps that limit, whichever part is a slice [SEL-25, READ-07]") {
        nested().use { it.slice(1, 1) }.use { slice ->
            RecordBatch.ofColumns(listOf("s"), listOf(slice)).use {
                rejected { it.column("s").column("t").getBytes(0) }
                it.retainChild(0).use { struct ->
                    struct.retainChild(0).use { text ->
                        rejected { text.asColumn().getBytes(0) }
                        RecordBatch.ofColumns(listOf("t"), listOf(text)).use { again ->
                            rejected { again.column("t").getBytes(0) }
                        }
                    }
                }
            }
        }
    }

    test("a sliced batch of such text keeps that limit when a column joins it [SEL-25, READ-07]") {
        nested("").use { it.slice(1, 2) }.use { slice ->
            BatchBuilder.of(Devices.cpu(), 2).use { it.int64("n", longArrayOf(1, 2)).build() }.use { numbers ->
                numbers.retainChild(0).use { slice.withColumn("n", it) }
            }.use {
                rejected { it.column("t").getBytes(0) }
                it.slice(0, 1).use { part -> rejected { part.column("t").getBytes(0) } }
            }
        }
    }
})
