// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.Schema
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerStreams
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

class StructureMalformedSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun child(array: MemorySegment, index: Long = 0) =
        MemorySegment.ofAddress(RawArrowArray.child(array.address(), index)).reinterpret(RawArrowArray.SIZE)

    /** Checks that the import of an array fails with this message, and that the array is released once. */
    fun refused(field: Field, expected: String, make: (MemorySegment) -> Unit) = Arena.ofConfined().use { arena ->
        for (isDevice in listOf(false, true)) {
            withClue(expected) {
                val array = arena.struct(StructKind.ARRAY).also(make)
                val given = if (isDevice) arena.struct(StructKind.DEVICE_ARRAY)
                    .also { PeerNodes.deviceArray(it, array, -1, 1) } else array
                val failure = shouldThrow<DeviceException> {
                    if (isDevice) CData.importArray(given, CImport.DEVICE.schema(field))
                    else CData.importArray(given, CImport.DATA.schema(field))
                }
                failure.message shouldBe expected
                failure.errno() shouldBe Errno.EINVAL
                RawArrowArray.release(given.address()) shouldBe 0
                CPeer.counts().let { it.arrays shouldBe 0; it.doubleReleases shouldBe 0; it.violations shouldBe 0 }
            }
        }
    }

    val peers = Schema.of(Field.of("id", DataType.INT64), Field.of("name", DataType.UTF8)).asField()

    /**
     * Checks that the import of the peer's batch of 5 rows fails after [spoil] changed its root, its `id` or its
     * `name`.
     */
    fun refusedBatch(
        expected: String,
        spoil: (root: Long, id: Long, name: Long) -> Unit,
    ) = refused(peers, expected) { out ->
        PeerStreams.batch(out, 0, 5)
        spoil(out.address(), child(out, 0).address(), child(out, 1).address())
    }

    test("negative or overflowing lengths, offsets and counts are rejected [ARR-01, ARR-18]") {
        refusedBatch("length = -1 is negative") { root, _, _ -> RawArrowArray.setLength(root, -1) }
        refusedBatch("$.name: length = -5 is negative") { _, _, name -> RawArrowArray.setLength(name, -5) }
        refusedBatch("$.id: offset = -2 is negative") { _, id, _ -> RawArrowArray.setOffset(id, -2) }
        refusedBatch("offset + length = 9223372036854775807 + 5 overflows") { root, _, _ ->
            RawArrowArray.setOffset(root, Long.MAX_VALUE)
        }
        refusedBatch("n_children = -1, but the schema has 2") { root, _, _ -> RawArrowArray.setNChildren(root, -1) }
        refusedBatch("$.id: n_buffers = -1, but an array of type int64 has 2") { _, id, _ ->
            RawArrowArray.setNBuffers(id, -1)
        }
    }

    test("impossible null counts, and nulls without a bitmap, are rejected [ARR-02, ARR-03, ARR-18]") {
        refusedBatch("$.name: null_count = 6 is not within -1..5") { _, _, name -> RawArrowArray.setNullCount(name, 6) }
        refusedBatch("$.id: null_count = -2 is not within -1..5") { _, id, _ -> RawArrowArray.setNullCount(id, -2) }
        refusedBatch("$.id: null_count = 2, but there is no validity bitmap") { _, id, _ ->
            RawArrowArray.setNullCount(id, 2)
            RawArrowArray.setBuffer(id, 0, 0)
        }
    }

    test("too few or too many buffers, and NULL buffers of an array with rows, are rejected [ARR-04, ARR-08, ARR-18]") {
        refusedBatch("$.name: n_buffers = 2, but an array of type utf8 has 3") { _, _, name ->
            RawArrowArray.setNBuffers(name, 2)
        }
        refusedBatch("$.id: n_buffers = 3, but an array of type int64 has 2") { _, id, _ ->
            RawArrowArray.setNBuffers(id, 3)
        }
        refusedBatch("n_buffers = 0, but an array of type struct has 1") { root, _, _ ->
            RawArrowArray.setNBuffers(root, 0)
        }
        refusedBatch("$.id: n_buffers = 2, but buffers is NULL") { _, id, _ ->
            PeerNodes.nullArrayBuffers(MemorySegment.ofAddress(id))
        }
        refusedBatch("$.id: buffers[1] is NULL, but the array needs 5 elements of it") { _, id, _ ->
            RawArrowArray.setBuffer(id, 1, 0)
        }
        refusedBatch("$.name: buffers[1] is NULL, but the array needs 5 elements of it") { _, _, name ->
            RawArrowArray.setBuffer(name, 1, 0)
        }
    }

    val lists = mutableListOf<MemorySegment>()

    test("missing, surplus or short children are rejected [ARR-10, ARR-15, ARR-18]") {
        refusedBatch("n_children = 1, but the schema has 2") { root, _, _ -> RawArrowArray.setNChildren(root, 1) }
        refusedBatch("n_children = 2, but children is NULL") { root, _, _ -> RawArrowArray.setChildren(root, 0) }
        refusedBatch("children[1] is NULL") { root, id, _ ->
            val list = Arena.ofAuto().allocate(16, 8).also(lists::add) // not the peer's own list, which it needs
            RawArrowArray.setChildren(root, list.address())
            RawArrowArray.setChild(root, 0, id)
        }
        refusedBatch("$.id: length = 4, but its parent needs 5") { _, id, _ -> RawArrowArray.setLength(id, 4) }
        refusedBatch("$.name: length = 5, but its parent needs 6") { root, id, _ ->
            RawArrowArray.setOffset(root, 1)
            RawArrowArray.setLength(id, 6)
        }
        refusedBatch("$.id: n_children = 1, but the schema has 0") { _, id, _ -> RawArrowArray.setNChildren(id, 1) }
    }

    test("a fixed-size list's child must have (offset + length) times the size elements [ARR-10, ARR-11, ARR-18]") {
        fun lists(size: Int) = Field.of("", FixedSizeListType(Field.of("item", DataType.NULL), size))
        fun make(out: MemorySegment, length: Long, items: Long) {
            PeerNodes.array(out, length = length, offset = 1, buffers = 1, children = 1)
            PeerNodes.array(child(out), length = items)
        }
        refused(lists(3), "$.item: length = 8, but its parent needs 9") { make(it, 2, 8) }
        refused(lists(3), "offset + length = 4611686018427387905 lists of 3 overflow") { make(it, 1L shl 62, 9) }
        Arena.ofConfined().use { arena ->
            val out = arena.struct(StructKind.ARRAY).also { make(it, 2, 9) }
            CData.importArray(out, CImport.DATA.schema(lists(3))).close()
        }
    }

    test("missing, surplus, released or malformed dictionaries are rejected [ARR-15, ARR-18]") {
        val encoded = Field.of("", DataType.dictionary(DataType.INT8, DataType.UTF8))
        fun indices(out: MemorySegment) {
            PeerNodes.array(out, length = 1, buffers = 2)
            PeerNodes.setBuffer(out, 1, ByteArray(1))
        }
        fun dictionary(out: MemorySegment) = MemorySegment.ofAddress(RawArrowArray.dictionary(out.address()))
            .reinterpret(80)
        refused(encoded, "the dictionary is NULL, but the schema has one", ::indices)
        refused(encoded, "$.(dictionary): is released") { indices(it); PeerNodes.setArrayDictionary(it) }
        refused(encoded, "$.(dictionary): n_buffers = 2, but an array of type utf8 has 3") {
            indices(it)
            PeerNodes.setArrayDictionary(it)
            PeerNodes.array(dictionary(it), length = 0, buffers = 2)
        }
        refused(Field.of("", DataType.INT8), "there is a dictionary, but the schema has none") {
            indices(it)
            PeerNodes.setArrayDictionary(it)
            PeerNodes.array(dictionary(it), length = 0, buffers = 3)
        }
    }

    test("view arrays with missing, negative or huge sizes, or with NULL buffers, are rejected [ARR-07, ARR-18]") {
        val views = Field.of("v", DataType.UTF8_VIEW)
        fun make(out: MemorySegment, vararg sizes: Long?, spoil: (MemorySegment) -> Unit = {}) {
            PeerNodes.array(out, length = 0, buffers = 3L + sizes.size)
            val bytes = Arena.ofAuto().allocate(8L * sizes.size + 8).also { memory ->
                sizes.forEachIndexed { i, size ->
                    memory.setAtIndex(java.lang.foreign.ValueLayout.JAVA_LONG, i.toLong(), size ?: 7L)
                }
            }.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE).copyOf(8 * sizes.size)
            PeerNodes.setBuffer(out, 2L + sizes.size, bytes)
            spoil(out)
        }
        refused(views, "the size of variadic buffer 1 is -3") { make(it, 0, -3) }
        refused(views, "variadic buffer 0 is NULL, but its size is 7") { make(it, null) }
        val garbage = "the size of variadic buffer 1 is 4611686018427387904, so that the variadic buffers do not " +
            "fit in memory"
        refused(views, garbage) { out ->
            make(out, 0, 1L shl 62) { RawArrowArray.setBuffer(it.address(), 3, it.address()) }
        }
        refused(views, "n_buffers = 4611686018427387904, but an array of type utf8_view has at least 3") { out ->
            PeerNodes.array(out, length = 0, buffers = 3)
            RawArrowArray.setNBuffers(out.address(), 1L shl 62)
        }
        refused(views, "there are 1 variadic buffers, but the buffer of their sizes is NULL") { out ->
            make(out, 0) { RawArrowArray.setBuffer(it.address(), 3, 0) }
        }
        refused(views, "n_buffers = 2, but an array of type utf8_view has at least 3") {
            PeerNodes.array(it, length = 0, buffers = 2)
        }
    }

    test("more elements than memory can hold are rejected, also at length 0 and for a bitmap alone [ARR-20]") {
        fun make(out: MemorySegment, length: Long, offset: Long, buffers: Long, bitmap: Boolean = false) {
            PeerNodes.array(out, length = length, nullCount = -1, offset = offset, buffers = buffers)
            for (i in (if (bitmap) 0L else 1L) until buffers) PeerNodes.setBuffer(out, i, ByteArray(8))
        }
        fun tooMany(end: Long, type: String) =
            "offset + length = $end elements of type $type do not fit in memory"
        refused(Field.of("", DataType.UTF8), tooMany(1L shl 62, "utf8")) { make(it, 0, 1L shl 62, 3) }
        refused(Field.of("", DataType.UTF8), tooMany(Long.MAX_VALUE, "utf8")) { make(it, 0, Long.MAX_VALUE, 3) }
        refused(Field.of("", DataType.INT64), tooMany(1L shl 54, "int64")) { make(it, 1, (1L shl 54) - 1, 2) }
        refused(Field.of("", DataType.BOOL), tooMany((1L shl 60) + 1, "bool")) { make(it, 1, 1L shl 60, 2) }
        refused(Field.of("", FixedSizeBinaryType(Int.MAX_VALUE)), tooMany(1L shl 26, "fixed_size_binary[2147483647]")) {
            make(it, 1, (1L shl 26) - 1, 2)
        }
        refused(Field.of("", FixedSizeBinaryType(0)), tooMany(Long.MAX_VALUE, "fixed_size_binary[0]")) {
            make(it, Long.MAX_VALUE, 0, 2, bitmap = true)
        }
        refused(Field.of("", StructType(listOf())), tooMany(1L shl 62, "struct")) {
            make(it, 1L shl 62, 0, 1, bitmap = true)
        }
    }

    test("run-end-encoded arrays with too few runs, or with fewer values than runs, are rejected [ARR-20]") {
        val runs = Field.of("", RunEndEncodedType(Field.of("run_ends", DataType.INT32).withNullable(false),
            Field.of("values", DataType.NULL)))
        fun make(out: MemorySegment, length: Long, ends: Long, values: Long) {
            PeerNodes.array(out, length = length, children = 2)
            PeerNodes.array(child(out, 0), length = ends, buffers = 2)
            PeerNodes.setBuffer(child(out, 0), 1, ByteArray(8) { 1 })
            PeerNodes.array(child(out, 1), length = values)
        }
        refused(runs, "length = 3, but there are no runs") { make(it, 3, 0, 0) }
        refused(runs, "there are 2 run ends, but 1 values") { make(it, 3, 2, 1) }
        Arena.ofConfined().use { arena ->
            val out = arena.struct(StructKind.ARRAY)
            for ((length, ends, values) in listOf(Triple(0L, 0L, 0L), Triple(3L, 1L, 2L))) {
                make(out, length, ends, values)
                CData.importArray(out, CImport.DATA.schema(runs)).close()
            }
        }
    }

    test("the path in an error leads to the field through structs, lists and unnamed fields [ARR-18]") {
        fun nested(type: DataType, vararg names: String): Field =
            Field.of("", names.reversed().fold(type) { inner, name ->
                if (name == "item") ListType(Field.of(name, inner)) else StructType(listOf(Field.of(name, inner)))
            })
        refused(
            nested(DataType.INT8, "orders", "item", "price"), "$.orders.item.price: length = -1 is negative",
        ) { out ->
            PeerNodes.array(out, length = 0, buffers = 1, children = 1)
            PeerNodes.array(child(out), length = 0, buffers = 2, children = 1)
            PeerNodes.array(child(child(out)), length = 0, buffers = 1, children = 1)
            PeerNodes.array(child(child(child(out))), length = -1, buffers = 2)
        }
        refused(nested(DataType.INT8, ""), "$.[0]: length = -1 is negative") { out ->
            PeerNodes.array(out, length = 0, buffers = 1, children = 1)
            PeerNodes.array(child(out), length = -1, buffers = 2)
        }
    }

    test("a failed import releases both array and schema, whichever was at fault [OWN-08]") {
        Arena.ofConfined().use { arena ->
            val (array, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
            fun bothReleased() {
                PeerMoves.release(array, StructKind.ARRAY) shouldBe false
                PeerMoves.release(schema, StructKind.SCHEMA) shouldBe false
                CPeer.counts().let { it.arrays shouldBe 0; it.schemas shouldBe 0; it.doubleReleases shouldBe 0 }
            }
            PeerStreams.batch(array, 0, 5, setOf(PeerStreams.Flavour.BAD_CHILDREN))
            PeerStreams.batchSchema(schema)
            shouldThrow<DeviceException> { CData.importArray(array, CImport.DATA.schema(schema)) }
            bothReleased()
            PeerStreams.batch(array, 0, 5)
            PeerNodes.schema(schema, "no such format")
            shouldThrow<DeviceException> { CData.importArray(array, CImport.DATA.schema(schema)) }
            bothReleased()
            PeerStreams.batch(array, 0, 5)
            // the schema was released by the previous import
            shouldThrow<DeviceException> { CData.importArray(array, CImport.DATA.schema(schema)) }
            bothReleased()
            PeerStreams.batchSchema(schema)
            // the array was released by the previous import
            shouldThrow<DeviceException> { CData.importArray(array, CImport.DATA.schema(schema)) }
            bothReleased()
        }
    }

    test("memory too small for the struct is rejected, and neither struct is released [OWN-08]") {
        Arena.ofConfined().use { arena ->
            val (array, schema) = arena.struct(StructKind.ARRAY) to arena.struct(StructKind.SCHEMA)
            PeerStreams.batch(array, 0, 5)
            PeerStreams.batchSchema(schema)
            shouldThrow<IllegalArgumentException> {
                CData.importArray(array.asSlice(0, 72), CImport.DATA.schema(schema))
            }.message shouldBe
                "ArrowArray has 80 bytes, the segment given has 72"
            shouldThrow<IllegalArgumentException> {
                CData.importArray(array, CImport.DEVICE.schema(schema))
            }.message shouldBe
                "ArrowDeviceArray has 128 bytes, the segment given has 80"
            PeerMoves.release(array, StructKind.ARRAY) shouldBe true
            PeerMoves.release(schema, StructKind.SCHEMA) shouldBe true
        }
    }
})
