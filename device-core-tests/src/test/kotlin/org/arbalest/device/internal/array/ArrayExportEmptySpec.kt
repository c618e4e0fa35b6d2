// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.shouldNotBe
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.Devices
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.internal.memory.Integers
import org.arbalest.device.internal.schema.Layout
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.LargeListViewType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/** Exports of arrays without elements: imported, sliced, copied and nested ones. */
class ArrayExportEmptySpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun child(array: MemorySegment, index: Long = 0) =
        MemorySegment.ofAddress(RawArrowArray.child(array.address(), index)).reinterpret(80)

    /**
     * Returns the faults below a struct, each with its path: an array of length 0 with an offset or nulls, or offsets
     * that do not begin at 0.
     */
    fun wrong(struct: Long, type: DataType, path: String = "$"): List<String> {
        val (length, offset, nulls) =
            Triple(RawArrowArray.length(struct), RawArrowArray.offset(struct), RawArrowArray.nullCount(struct))
        val below = type.children().flatMapIndexed { i, field ->
            wrong(RawArrowArray.child(struct, i.toLong()), field.type(), "$path.${field.name()}")
        }
        val values = if (type is DictionaryType)
            wrong(RawArrowArray.dictionary(struct), type.values().type(), "$path.(dictionary)") else listOf()
        val layout = Layout.of(Field.of("", type))
        val hasOffsets = length == 0L && (layout.shape == Layout.Shape.VARIABLE || layout.shape == Layout.Shape.LIST)
        val first = if (!hasOffsets) 0L else RawArrowArray.buffer(struct, 1)
            .let { if (it == 0L) null else Integers.get(it, layout.bits, 0) }
        return listOfNotNull(
            "$path: offset $offset, $nulls nulls".takeIf { length == 0L && (offset != 0L || nulls != 0L) },
            "$path: offsets[0] = $first".takeIf { first != 0L },
        ) + below + values
    }

    /** Exports a handle, passes the struct to [look], and releases both. */
    fun exported(array: DeviceArray, look: (Long) -> Unit) = Arena.ofConfined().use { arena ->
        val out = arena.struct(StructKind.ARRAY)
        val type = array.field().type()
        array.use { CData.exportArray(it, out, CExport.DATA) }
        wrong(out.address(), type) shouldBe listOf()
        look(out.address())
        PeerMoves.release(out, StructKind.ARRAY)
    }

    fun imported(type: DataType, make: (MemorySegment) -> Unit): DeviceArray = Arena.ofConfined().use { arena ->
        CData.importArray(arena.struct(StructKind.ARRAY).also(make), CImport.DATA.schema(Field.of("a", type)))
    }

    val x = Field.of("x", DataType.INT8)

    fun bytes(out: MemorySegment, length: Long, offset: Long) {
        PeerNodes.array(out, length = length, offset = offset, nullCount = -1, buffers = 2)
        PeerNodes.setBuffer(out, 0, ByteArray(8) { -1 })
        PeerNodes.setBuffer(out, 1, ByteArray(64) { it.toByte() })
    }

    test("the offsets of every exported array without elements begin at 0, also of nested ones [ARR-19]") {
        fun text(out: MemorySegment, type: DataType, offset: Long, offsets: ByteArray?) {
            PeerNodes.array(out, length = 0, offset = offset, buffers = if (type is ListType) 2 else 3,
                children = if (type is ListType) 1 else 0)
            if (offsets != null) PeerNodes.setBuffer(out, 1, offsets)
            if (type is ListType) bytes(child(out), 8, 0)
        }
        val garbage = ByteArray(16) { -5 }
        for (type in listOf(DataType.UTF8, DataType.LARGE_BINARY, ListType(x))) {
            for (offsets in listOf(garbage, null)) {
                for (offset in listOf(0L, 1L)) withClue("$type at $offset") {
                    exported(imported(type) { text(it, type, offset, offsets) }) {}
                    exported(imported(type) { text(it, type, offset, offsets) }.use { it.slice(0, 0) }) {}
                    val below = Field.of("below", type)
                    exported(imported(StructType(listOf(below))) {
                        PeerNodes.array(it, length = 0, buffers = 1, children = 1)
                        text(child(it), type, offset, offsets)
                    }) {}
                    exported(imported(ListType(below)) {
                        PeerNodes.array(it, length = 1, buffers = 2, children = 1)
                        PeerNodes.setBuffer(it, 1, ByteArray(8))
                        text(child(it), type, offset, offsets)
                    }) {}
                }
            }
        }
    }

    test("empty slices of every type, and their copies, are exported with offset 0 [ARR-19]") {
        EveryType.batch(0, 20).use { batch ->
            for (from in listOf(0L, 7L, 20L)) {
                exported(batch.slice(from, 0)) {}
                exported(batch.slice(from, 0).use { it.copyTo(Devices.cpu()) }) {}
                for ((i, field) in batch.schema().fields().withIndex()) {
                    withClue(field) {
                        exported(batch.retainChild(i).use { it.slice(from, 0) }) {}
                        exported(
                            batch.retainChild(i).use { it.slice(from, 0).use { slice -> slice.copyTo(Devices.cpu()) } },
                        ) {}
                    }
                }
            }
        }
    }

    test("the children of an empty struct, sparse union or fixed-size list begin at 0 [ARR-19]") {
        val types = listOf(
            StructType(listOf(x)) to { out: MemorySegment ->
                PeerNodes.array(out, length = 6, offset = 2, nullCount = -1, buffers = 1, children = 1)
            },
            UnionType(UnionMode.SPARSE, listOf(0), listOf(x)) to { out ->
                PeerNodes.array(out, length = 6, offset = 2, buffers = 1, children = 1)
            },
            FixedSizeListType(x, 2) to { out ->
                PeerNodes.array(out, length = 6, offset = 2, nullCount = -1, buffers = 1, children = 1)
            },
        )
        for ((type, make) in types) {
            imported(type, {
                make(it)
                PeerNodes.setBuffer(it, 0, ByteArray(8))
                bytes(child(it), 16, 3)
            }).use { array ->
                for (empty in listOf(array.slice(4, 0), array.slice(6, 0).use { it.copyTo(Devices.cpu()) })) {
                    exported(empty) { out ->
                        RawArrowArray.length(RawArrowArray.child(out, 0)) shouldBe 0
                        RawArrowArray.offset(RawArrowArray.child(out, 0)) shouldBe 0
                    }
                }
                exported(array.slice(1, 2)) { RawArrowArray.length(RawArrowArray.child(it, 0)) shouldBe 16 }
            }
        }
    }

    test("empty list items are exported with offset 0, but a dictionary with values keeps its offset [ARR-19]") {
        val lists = DictionaryType(DataType.INT8, Field.of("", ListType(x)), false)
        imported(lists, { out ->
            bytes(out, 3, 1)
            PeerNodes.setArrayDictionary(out)
            val values = MemorySegment.ofAddress(RawArrowArray.dictionary(out.address())).reinterpret(80)
            PeerNodes.array(values, length = 2, offset = 1, buffers = 2, children = 1)
            PeerNodes.setBuffer(values, 1, ByteArray(16))
            bytes(child(values), 0, 5)
        }).use { array ->
            fun check(out: Long) {
                RawArrowArray.offset(out) shouldBe 1
                RawArrowArray.offset(RawArrowArray.dictionary(out)) shouldBe 1
                RawArrowArray.length(RawArrowArray.dictionary(out)) shouldBe 2
            }
            exported(array.retain(), ::check)
            exported(array.copyTo(Devices.cpu())) { RawArrowArray.length(RawArrowArray.dictionary(it)) shouldBe 2 }
            exported(array.slice(1, 0)) { RawArrowArray.length(RawArrowArray.dictionary(it)) shouldBe 2 }
        }
    }

    test("a copy of an empty array without offsets has one offset, which is 0 [ARR-19, ARR-08]") {
        for (type in listOf(DataType.UTF8, ListType(x))) {
            imported(type, { out ->
                PeerNodes.array(out, length = 0, offset = 1L shl 40, buffers = if (type is ListType) 2 else 3,
                    children = type.children().size.toLong())
                if (type is ListType) bytes(child(out), 4, 3)
            }).use { array ->
                exported(array.copyTo(Devices.cpu())) { copy ->
                    val offsets = RawArrowArray.buffer(copy, 1)
                    offsets shouldNotBe 0
                    MemorySegment.ofAddress(offsets).reinterpret(4)
                        .get(java.lang.foreign.ValueLayout.JAVA_INT, 0) shouldBe 0
                }
            }
        }
    }

    test("no operation on an array of length 0 with a huge offset reads its buffers [ARR-20]") {
        val item = Field.of("item", DataType.INT32)
        val types = EveryType.fields.map { it.type() } + FixedSizeListType(item, 3) + DataType.INTERVAL_DAY_TIME +
            DataType.BINARY_VIEW + UnionType(UnionMode.DENSE, listOf(0), listOf(x))
        for (type in types) for (offset in listOf(1L shl 33, 1L shl 45, (1L shl 50) + 1)) {
            withClue("$type at $offset") {
                imported(type, { emptyAt(it, type, offset) }).use { array ->
                    val column = array.asColumn()
                    column.nullCount() shouldBe 0
                    if (type !is StructType) Arena.ofConfined().use { arena ->
                        runCatching { column.segment(arena).byteSize() shouldBe 0 }
                    }
                    runCatching { column.toLongArray().size shouldBe 0 }
                    exported(array.slice(0, 0)) {}
                    exported(array.copyTo(Devices.cpu())) {}
                }
            }
        }
    }

    test("a view array's absent data buffer of size 0 is exported with an address, and is copied [ARR-08]") {
        val (views, data) = List(2) { Devices.cpu().allocate(64).also { it.segment().fill(0) } }
        DeviceArray.of(Field.of("v", DataType.UTF8_VIEW), ArrayData.of(2, 0, listOf(null, views, null, data, null)))
            .use { array ->
                for (some in listOf(
                    array.retain(), array.copyTo(Devices.cpu()), array.slice(1, 0).use { it.copyTo(Devices.cpu()) },
                )) {
                    exported(some) { out ->
                        RawArrowArray.nBuffers(out) shouldBe 6
                        for (i in 1L..5L) RawArrowArray.buffer(out, i) shouldNotBe 0
                    }
                }
            }
        imported(DataType.UTF8_VIEW, { out ->
            PeerNodes.array(out, length = 1, buffers = 4)
            PeerNodes.setBuffer(out, 1, ByteArray(16))
            PeerNodes.setBuffer(out, 3, ByteArray(8))
        }).use { array ->
            exported(array.retain()) { RawArrowArray.nBuffers(it) shouldBe 4 }
            exported(array.copyTo(Devices.cpu())) { RawArrowArray.buffer(it, 2) shouldNotBe 0 }
        }
    }
})

/**
 * Builds an array without elements at an offset. Its children are as long as the offset requires; its buffers hold a
 * few bytes.
 */
private fun emptyAt(out: MemorySegment, type: DataType, offset: Long, length: Long = 0) {
    val buffers = when (type) {
        is FlatType.NullType, is RunEndEncodedType -> 0L
        is StructType, is FixedSizeListType -> 1L
        is UnionType -> if (type.mode() == UnionMode.SPARSE) 1L else 2L
        is FlatType.LargeUtf8Type, is FlatType.BinaryType, is FlatType.LargeBinaryType, is FlatType.BinaryViewType,
        is FlatType.Utf8ViewType -> 3L
        is ListViewType, is LargeListViewType -> 3L
        else -> if (type == DataType.UTF8) 3L else 2L
    }
    PeerNodes.array(out, length = length, offset = offset, nullCount = 0, buffers = buffers,
        children = type.children().size.toLong())
    for (i in (if (type is UnionType) 0 else 1) until buffers) PeerNodes.setBuffer(out, i, ByteArray(16))
    type.children().forEachIndexed { i, field ->
        val child = MemorySegment.ofAddress(RawArrowArray.child(out.address(), i.toLong())).reinterpret(80)
        val needed = when (type) {
            is StructType -> offset + length
            is UnionType -> if (type.mode() == UnionMode.SPARSE) offset + length else 0
            is FixedSizeListType -> type.size() * (offset + length)
            else -> 0
        }
        emptyAt(child, field.type(), 3, needed)
    }
    if (type is DictionaryType) {
        PeerNodes.setArrayDictionary(out)
        emptyAt(MemorySegment.ofAddress(RawArrowArray.dictionary(out.address())).reinterpret(80),
            type.values().type(), 0)
    }
}
