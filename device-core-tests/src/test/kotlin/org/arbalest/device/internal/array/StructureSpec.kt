// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.spi.ArrayBridge
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerStreams
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

class StructureSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun child(array: MemorySegment, index: Long) = MemorySegment.ofAddress(RawArrowArray.child(array.address(), index))
        .reinterpret(80)

    fun <T> imported(
        type: DataType,
        make: (MemorySegment) -> Unit,
        look: (DeviceArray) -> T,
    ): T = Arena.ofConfined().use { arena ->
        val out = arena.struct(StructKind.ARRAY).also(make)
        CData.importArray(out, CImport.DATA.schema(Field.of("a", type))).use(look)
    }

    /** Exports the array, passes the struct to [look], and releases it. */
    fun <T> exported(array: DeviceArray, look: (Long) -> T): T = Arena.ofConfined().use { arena ->
        val out = arena.struct(StructKind.ARRAY)
        CData.exportArray(array.retain(), out, CExport.DATA)
        look(out.address()).also { PeerMoves.release(out, StructKind.ARRAY) }
    }

    val integers = listOf(Field.of("x", DataType.INT8), Field.of("y", DataType.INT8))

    fun union(out: MemorySegment, dense: Boolean, legacy: Boolean) {
        val first = if (legacy) 1L else 0L
        PeerNodes.array(out, length = 2, buffers = first + if (dense) 2 else 1, children = 2)
        if (legacy) PeerNodes.setBuffer(out, 0, byteArrayOf(3))
        PeerNodes.setBuffer(out, first, byteArrayOf(0, 1))
        if (dense) PeerNodes.setBuffer(out, first + 1, ByteArray(8))
        for (i in 0L..1L) {
            PeerNodes.array(child(out, i), length = 2, buffers = 2)
            PeerNodes.setBuffer(child(out, i), 1, byteArrayOf(7, 8))
        }
    }

    test("an uncomputed null count becomes 0 without a bitmap, and is counted with one [ARR-02]") {
        fun make(bitmap: ByteArray?) = { out: MemorySegment ->
            PeerNodes.array(out, length = 9, nullCount = -1, offset = 1, buffers = 2)
            PeerNodes.setBuffer(out, 0, bitmap)
            PeerNodes.setBuffer(out, 1, ByteArray(10))
        }
        imported(DataType.INT8, make(null)) {
            it.asColumn().nullCount() shouldBe 0
            exported(it, RawArrowArray::nullCount) shouldBe 0
        }
        imported(DataType.INT8, make(byteArrayOf(0b01010101, 0b01))) {
            it.asColumn().nullCount() shouldBe 5
            (0L..8L).filter(it.asColumn()::isNull) shouldBe listOf(0L, 2L, 4L, 6L, 8L)
        }
    }

    test("null arrays count their nulls without a bitmap [ARR-03]") {
        imported(DataType.NULL, { PeerNodes.array(it, length = 4, nullCount = 4) }) {
            it.asColumn().nullCount() shouldBe 4
        }
    }

    test("null arrays with a buffer and unions with a bitmap are imported, and exported without them [ARR-05]") {
        imported(DataType.NULL, { PeerNodes.array(it, length = 4, nullCount = 4, buffers = 1) }) { array ->
            array.asColumn().isNull(3) shouldBe true
            exported(array, RawArrowArray::nBuffers) shouldBe 0
        }
        for (dense in listOf(true, false)) {
            val type = UnionType(if (dense) UnionMode.DENSE else UnionMode.SPARSE, listOf(0, 1), integers)
            val sums = listOf(true, false).map { legacy ->
                imported(type, { union(it, dense, legacy) }) { array ->
                    exported(array) { out ->
                        RawArrowArray.nBuffers(out) shouldBe if (dense) 2 else 1
                        RawArrowArray.nullCount(out) shouldBe 0
                    }
                    EveryType.checksum(array.retain())
                }
            }
            sums[0] shouldBe sums[1]
            sums[0] shouldNotBe 0
        }
    }

    test("a union whose bitmap may have nulls is rejected, and one whose bitmap is NULL is accepted [ARR-05]") {
        for (dense in listOf(true, false)) for (nulls in listOf(-1L, 1L)) for (below in listOf(false, true)) {
            val type = UnionType(if (dense) UnionMode.DENSE else UnionMode.SPARSE, listOf(0, 1), integers)
            fun made(out: MemorySegment, hasBitmap: Boolean) {
                val node = if (below) child(out.also { PeerNodes.array(it, length = 2, buffers = 1, children = 1) }, 0)
                else out
                union(node, dense, true)
                if (!hasBitmap) PeerNodes.setBuffer(node, 0, null)
                RawArrowArray.setNullCount(node.address(), nulls)
            }
            val all = if (below) DataType.struct(Field.of("u", type)) else type
            val error = shouldThrow<DeviceException> { imported(all, { made(it, true) }) { } }
            error.errno() shouldBe Errno.EINVAL
            error.message shouldContain "null_count = $nulls, and a bitmap in front of the types, as older peers " +
                "have it, but unions have no nulls of their own"
            imported(all, { made(it, false) }) { array -> exported(array, RawArrowArray::nullCount) shouldBe 0 }
        }
    }

    test("exported unions and run-end-encoded arrays have no nulls, and null arrays only nulls [ARR-06]") {
        imported(UnionType(UnionMode.SPARSE, listOf(0, 1), integers), {
            union(it, false, false)
            RawArrowArray.setNullCount(it.address(), -1)
        }) {
            exported(it, RawArrowArray::nullCount) shouldBe 0
        }
        val runs = RunEndEncodedType(Field.of("run_ends", DataType.INT32).withNullable(false), integers[0])
        fun run(out: MemorySegment) {
            PeerNodes.array(out, length = 5, nullCount = -1, children = 2)
            PeerNodes.array(child(out, 0), length = 1, buffers = 2)
            PeerNodes.setBuffer(child(out, 0), 1, byteArrayOf(5, 0, 0, 0))
            PeerNodes.array(child(out, 1), length = 1, buffers = 2)
            PeerNodes.setBuffer(child(out, 1), 1, byteArrayOf(9))
        }
        imported(runs, ::run) { exported(it, RawArrowArray::nullCount) shouldBe 0 }
        imported(DataType.NULL, { PeerNodes.array(it, length = 4, nullCount = -1) }) {
            exported(it, RawArrowArray::nullCount) shouldBe 4
            it.slice(1, 2).use { slice -> exported(slice, RawArrowArray::nullCount) shouldBe 2 }
        }
    }

    test("an imported array of length 0 may have NULL data and NULL offsets [ARR-08]") {
        for (type in listOf(DataType.INT64, DataType.BOOL)) {
            imported(type, { PeerNodes.array(it, length = 0, buffers = 2) }) { it.asColumn().length() shouldBe 0 }
        }
        imported(DataType.UTF8, { PeerNodes.array(it, length = 0, buffers = 3) }) { array ->
            array.asColumn().nullCount() shouldBe 0
            Arena.ofConfined().use { array.asColumn().segment(it).byteSize() shouldBe 0 }
            EveryType.checksum(array.retain()) shouldNotBe 0
        }
        imported(NestedType.ListType(integers[0]), {
            PeerNodes.array(it, length = 0, buffers = 2, children = 1)
            PeerNodes.array(child(it, 0), length = 0, buffers = 2)
        }) { it.asColumn().items().length() shouldBe 0 }
    }

    test("children may be longer than their parent, which reads only its own rows [ARR-10]") {
        val type = NestedType.StructType(integers)
        imported(type, {
            PeerNodes.array(it, length = 2, offset = 3, buffers = 1, children = 2)
            for (i in 0L..1L) {
                PeerNodes.array(child(it, i), length = 9, buffers = 2)
                PeerNodes.setBuffer(child(it, i), 1, ByteArray(9) { at -> (10 * i + at).toByte() })
            }
        }) { array ->
            array.asColumn().get(0) shouldBe mapOf("x" to 3L, "y" to 13L)
            array.asRecordBatch().column("y").toLongArray().toList() shouldBe listOf(13L, 14L)
            array.retainChild(0).use { it.length() shouldBe 2 }
        }
    }

    test("a batch that was imported with an offset is exported with offset 0 [ARR-13]") {
        Arena.ofConfined().use { arena ->
            val (batch, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
            PeerStreams.batch(batch, 0, 9, setOf(PeerStreams.Flavour.SLICED))
            PeerStreams.batchSchema(schema)
            CData.importArray(batch, CImport.DATA.schema(schema)).use { array ->
                exported(array) { RawArrowArray.offset(it) shouldBe 0 }
                val sums = array.slice(4, 3).use { EveryType.checksum(it.retain()) }
                PeerStreams.batch(batch, 4, 3)
                CData.importArray(batch, CImport.DATA.schema(array.field()))
                    .use { EveryType.checksum(it.retain()) } shouldBe sums
            }
        }
    }

    test("the library's buffers are aligned to 64 bytes [ARR-14]") {
        EveryType.batch(0, 10).use { array ->
            exported(array) { out ->
                for (i in EveryType.fields.indices) {
                    val column = RawArrowArray.child(out, i.toLong())
                    // the last buffer of views holds the sizes of the others, and the export adds it
                    val sizes = if (EveryType.fields[i].type().format().startsWith("v")) 1 else 0
                    for (b in 0 until RawArrowArray.nBuffers(column) - sizes)
                        RawArrowArray.buffer(column, b) % 64 shouldBe 0
                }
            }
        }
    }

    test("structural validation never reads a buffer, so those of another device may be anywhere [ARR-17]") {
        Arena.ofConfined().use { arena ->
            val (array, device) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.DEVICE_ARRAY)
            PeerNodes.array(array, length = 5, nullCount = -1, offset = 3, buffers = 3)
            for (i in 0L..2L) PeerNodes.setForeignBuffer(array, i, MemorySegment.ofAddress(0xdead_0000L + i))
            PeerNodes.deviceArray(device, array, 0, 2)
            CData.importArray(device, CImport.DEVICE.schema(Field.of("a", DataType.UTF8))).use { imported ->
                imported.asColumn().length() shouldBe 5
                imported.slice(1, 2).use { CData.exportArray(it, device, CExport.DEVICE) }
                PeerMoves.release(device, StructKind.DEVICE_ARRAY) shouldBe true
            }
        }
    }

    test("an imported ArrowArray has no event, even in memory that held an array with one [DEV-04]") {
        Arena.ofConfined().use { arena ->
            val (array, device) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.DEVICE_ARRAY)
            repeat(10) {
                PeerNodes.array(array, length = 0, buffers = 2)
                PeerNodes.deviceArray(device, array, 0, 2, MemorySegment.ofAddress(0xe0))
                CData.importArray(device, CImport.DEVICE.schema(integers[0])).use {
                    ArrayBridge.syncEventAddress(it) shouldBe 0xe0
                }
                imported(DataType.INT8, { PeerNodes.array(it, length = 0, buffers = 2) }) {
                    ArrayBridge.syncEventAddress(it) shouldBe 0
                }
            }
        }
    }
})
