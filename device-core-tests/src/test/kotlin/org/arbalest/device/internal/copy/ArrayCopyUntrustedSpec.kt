// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import java.nio.ByteBuffer
import java.nio.ByteOrder

/** Copies of arrays that untrusted peers wrote. */
class ArrayCopyUntrustedSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    /** Returns the error of copying a native text array with these offsets. */
    fun refusal(data: ByteArray?, vararg offsets: Int): String = Arena.ofConfined().use { arena ->
        val out = arena.struct(StructKind.ARRAY)
        PeerNodes.array(out, length = offsets.size - 1L, buffers = 3)
        val bytes = ByteBuffer.allocate(4 * offsets.size).order(ByteOrder.nativeOrder())
            .apply { offsets.forEach(::putInt) }.array()
        PeerNodes.setBuffer(out, 1, bytes, PeerNodes.Placement.GUARDED)
        PeerNodes.setBuffer(out, 2, data, PeerNodes.Placement.GUARDED)
        CData.importArray(out, CImport.DATA.schema(Field.of("a", DataType.UTF8))).use { array ->
            val failed = shouldThrow<DeviceException> { array.copyTo(Devices.cpu()) }
            failed.errno() shouldBe Errno.EINVAL
            failed.message!!
        }
    }

    test("text with NULL data is not copied if its offsets claim bytes [ARR-08]") {
        refusal(null, 0, 5) shouldContain "the data is NULL, but the offsets say 5 bytes"
    }

    test("text with offsets that go back, are negative or lie outside is not copied [ARR-09]") {
        refusal(ByteArray(5), 4, 5, 2) shouldContain "offsets[2] = 2 is before offsets[0] = 4"
        refusal(ByteArray(5), -4, 0, 5) shouldContain "offsets[0] = -4"
        refusal(ByteArray(5), 1, 900, 5) shouldContain "offsets[1] = 900 is not between 1 and 5"
    }

    test("a copy of a slice counts its own nulls [ARR-02]") {
        BatchBuilder.of(Devices.cpu(), 16).use { batch ->
            val column = batch.column(Field.of("a", DataType.INT32))
            for (row in 0 until 16) if (row < 12) column.append(row.toLong()) else column.appendNull()
            batch.build()
        }.use { array ->
            array.slice(0, 8).use { slice -> slice.copyTo(Devices.cpu()).use { it.column("a").nullCount() shouldBe 0 } }
            array.slice(8, 8).use { slice -> slice.copyTo(Devices.cpu()).use { it.column("a").nullCount() shouldBe 4 } }
        }
    }

    /** Imports a native array, copies it, and passes the copy and its exported struct to [look]. */
    fun copied(
        type: DataType,
        make: (MemorySegment) -> Unit,
        look: (DeviceArray, MemorySegment) -> Unit,
    ) = Arena.ofConfined().use { arena ->
        CData.importArray(arena.struct(StructKind.ARRAY).also(make), CImport.DATA.schema(Field.of("a", type)))
            .use { it.copyTo(Devices.cpu()) }.use { copy ->
                val out = arena.struct(StructKind.ARRAY)
                copy.retain().use { CData.exportArray(it, out, CExport.DATA) }
                look(copy, out)
                PeerMoves.release(out, StructKind.ARRAY)
            }
    }

    test("a copy of text without elements, whose offsets are NULL, has one offset, which is 0 [ARR-08]") {
        copied(DataType.UTF8, { PeerNodes.array(it, length = 0, buffers = 3) }) { _, out ->
            val offsets = RawArrowArray.buffer(out.address(), 1)
            offsets shouldNotBe 0
            MemorySegment.ofAddress(offsets).reinterpret(4).get(ValueLayout.JAVA_INT_UNALIGNED, 0) shouldBe 0
        }
    }

    test("a copy of a fixed-size list has all items of each list [ARR-11]") {
        val type = NestedType.FixedSizeListType(Field.of("item", DataType.INT8), 3)
        copied(type, { out ->
            PeerNodes.array(out, length = 2, offset = 1, buffers = 1, children = 1)
            val items = MemorySegment.ofAddress(RawArrowArray.child(out.address(), 0)).reinterpret(RawArrowArray.SIZE)
            PeerNodes.array(items, length = 9, buffers = 2)
            PeerNodes.setBuffer(items, 1, ByteArray(9) { it.toByte() })
        }) { copy, out ->
            EveryType.rows(copy) shouldBe listOf(listOf(3L, 4L, 5L), listOf(6L, 7L, 8L))
            RawArrowArray.length(RawArrowArray.child(out.address(), 0)) shouldBe 6
        }
    }

    test("a copy of text views has the sizes of its data buffers [ARR-07]") {
        copied(DataType.UTF8_VIEW, { out ->
            PeerNodes.array(out, length = 1, buffers = 4)
            PeerNodes.setBuffer(out, 1, ByteBuffer.allocate(16).order(ByteOrder.nativeOrder()).putInt(20)
                .putInt(0).array())
            PeerNodes.setBuffer(out, 2, ByteArray(20))
            PeerNodes.setBuffer(out, 3, ByteBuffer.allocate(8).order(ByteOrder.nativeOrder()).putLong(20).array())
        }) { _, out ->
            val sizes = MemorySegment.ofAddress(RawArrowArray.buffer(out.address(), 3)).reinterpret(8)
            sizes.get(ValueLayout.JAVA_LONG_UNALIGNED, 0) shouldBe 20
        }
    }

    test("the buffers of a copy are each aligned to 64 bytes [ARR-14]") {
        EveryType.batch(0, 5).use { it.copyTo(Devices.cpu()) }.use { copy ->
            Arena.ofConfined().use { arena ->
                val out = arena.struct(StructKind.ARRAY)
                copy.retain().use { CData.exportArray(it, out, CExport.DATA) }
                for ((i, field) in EveryType.fields.withIndex()) {
                    val column = RawArrowArray.child(out.address(), i.toLong())
                    // the last buffer of views holds the sizes of the others, and the export adds it
                    val sizes = if (field.type().format().startsWith("v")) 1 else 0
                    for (buffer in 0 until RawArrowArray.nBuffers(column) - sizes)
                        RawArrowArray.buffer(column, buffer) % 64 shouldBe 0
                }
                PeerMoves.release(out, StructKind.ARRAY)
            }
        }
    }
})
