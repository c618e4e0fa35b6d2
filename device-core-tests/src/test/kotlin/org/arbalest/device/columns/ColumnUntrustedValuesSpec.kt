// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.nio.ByteBuffer
import java.nio.ByteOrder

/**
 * Views, lists, unions, run-ends and dictionaries whose buffers refer to values out of range. The errors have the path,
 * the row and the numbers.
 */
class ColumnUntrustedValuesSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun ints(vararg values: Int): ByteArray = ByteBuffer.allocate(4 * values.size).order(ByteOrder.nativeOrder())
        .apply { values.forEach(::putInt) }.array()
    fun longs(vararg values: Long): ByteArray = ByteBuffer.allocate(8 * values.size).order(ByteOrder.nativeOrder())
        .apply { values.forEach(::putLong) }.array()
    fun field(name: String, type: DataType) = Field.of(name, type)
    fun child(of: MemorySegment, index: Int) =
        MemorySegment.ofAddress(RawArrowArray.child(of.address(), index.toLong())).reinterpret(RawArrowArray.SIZE)

    fun imported(type: DataType, make: (MemorySegment) -> Unit): DeviceArray = Arena.ofConfined().use { arena ->
        CData.importArray(arena.struct(StructKind.ARRAY).also(make), CImport.DATA.schema(field("a", type)))
    }

    /** Fills the struct with buffers, each of which ends at a guard page; null is a missing bitmap. */
    fun MemorySegment.array(
        length: Long,
        vararg buffers: ByteArray?,
        children: Long = 0,
        offset: Long = 0,
    ): MemorySegment = also { out ->
        PeerNodes.array(out, length, 0, offset, buffers.size.toLong(), children)
        buffers.forEachIndexed { i, bytes -> PeerNodes.setBuffer(out, i.toLong(), bytes, PeerNodes.Placement.GUARDED) }
    }

    fun MemorySegment.numbers(count: Int): MemorySegment = array(count.toLong(), null, ByteArray(count) { it.toByte() })

    /** Checks that every read of the row fails with the message [what]. */
    fun Column.refuses(row: Long, what: String, vararg reads: (Column) -> Any?) {
        for (read in reads.toList() + listOf<(Column) -> Any?>({ it.get(row) })) {
            val error = shouldThrow<DeviceException> { read(this) }
            error.errno() shouldBe Errno.EINVAL
            error.message shouldBe what
        }
    }

    fun view(size: Int, a: Int, buffer: Int, offset: Int) = ints(size, a, buffer, offset)
    val text = "thirteen bytes".encodeToByteArray()

    test("views with a wrong length, buffer or offset are rejected, and their neighbours are read [READ-04, READ-07]") {
        val cases = mapOf(
            view(-1, 0, 0, 0) to "the length of views[2] is -1",
            view(Int.MIN_VALUE, 0, 0, 0) to "the length of views[2] is -2147483648",
            view(13, 0, 2, 0) to "views[2] is in data buffer 2, but there are 2",
            view(13, 0, -1, 0) to "views[2] is in data buffer -1, but there are 2",
            view(13, 0, 1, 2) to "views[2] has 13 bytes at 2, but data buffer 1 has 14",
            view(13, 0, 1, -1) to "views[2] has 13 bytes at -1, but data buffer 1 has 14",
            view(15, 0, 1, 0) to "views[2] has 15 bytes at 0, but data buffer 1 has 14",
            view(Int.MAX_VALUE, 0, 1, Int.MAX_VALUE) to
                "views[2] has 2147483647 bytes at 2147483647, but data buffer 1 has 14",
            view(13, 0, 0, 0) to "views[2] has 13 bytes at 0, but data buffer 0 has 0",
        )
        for (type in listOf(DataType.UTF8_VIEW, DataType.BINARY_VIEW)) for ((bad, why) in cases) {
            imported(type) { out ->
                val good = ints(2, 0x6968, 0, 0) // "hi"
                out.array(3, null, good + good + bad + view(14, 0, 1, 0), null, text, longs(0, 14), offset = 1)
            }.use { array ->
                val column = array.asColumn()
                column.refuses(1, "column \"a\", row 1: $why", { it.getBytes(1) })
                if (type == DataType.UTF8_VIEW) column.refuses(1, "column \"a\", row 1: $why", { it.getString(1) })
                String(column.getBytes(0)) shouldBe "hi"
                String(column.getBytes(2)) shouldBe "thirteen bytes"
            }
        }
        imported(DataType.UTF8_VIEW) { it.array(1, null, view(13, 0, 0, 0), null) }.use { array ->
            array.asColumn().refuses(0, "column \"a\", row 0: views[0] is in data buffer 0, but there are 0")
        }
    }

    test(
        "list-views beyond their elements are rejected; empty ones can lie anywhere, and lists can overlap " +
            "[READ-05, READ-07]",
    ) {
        for (isLarge in listOf(false, true)) {
            val type = if (isLarge) DataType.largeListView(field("n", DataType.INT8))
            else DataType.listView(field("n", DataType.INT8))
            val far = if (isLarge) Long.MAX_VALUE else Int.MAX_VALUE.toLong()
            fun buffer(vararg values: Long) = if (isLarge) longs(*values)
            else ints(*values.map { it.toInt() }.toIntArray())
            for ((offset, size) in listOf(
                -1L to 1L, 3L to 3L, 0L to 6L, 5L to 1L, 0L to -1L, far to 1L, 1L to far, far to far,
            )) {
                imported(type) { out ->
                    out.array(4, null, buffer(1, offset, -7, 0), buffer(3, size, 0, 5), children = 1)
                    child(out, 0).numbers(5)
                }.use { array ->
                    val column = array.asColumn()
                    column.refuses(
                        1,
                        "column \"a\", row 1: offsets[1] = $offset and sizes[1] = $size lead beyond the 5 elements",
                        { it.getList(1) },
                    )
                    listOf(0L, 2L, 3L).map(column::get) shouldBe
                        listOf(listOf(1L, 2L, 3L), emptyList<Any>(), listOf(0L, 1L, 2L, 3L, 4L))
                }
            }
        }
    }

    fun reads(row: Long) = arrayOf<(Column) -> Any?>(
        { it.isNull(row) }, { it.getLong(row) }, { it.getTypeId(row) }, { it.getChildRow(row) }, { it.getString(row) },
        { it.getLocalDate(row) },
    )

    test("type ids that the union does not have, and offsets beyond the child, are rejected [READ-06, READ-07]") {
        val members = listOf(field("x", DataType.INT8), field("y", DataType.INT8))
        for (mode in UnionMode.entries) for (bad in listOf(-1, 0, 2, 127, -128)) {
            imported(UnionType(mode, listOf(5, 1), members)) { out ->
                if (mode == UnionMode.SPARSE) out.array(3, byteArrayOf(5, bad.toByte(), 1), children = 2)
                else out.array(3, byteArrayOf(5, bad.toByte(), 1), ints(0, 0, 2), children = 2)
                repeat(2) { child(out, it).numbers(3) }
            }.use { array ->
                val column = array.asColumn()
                column.refuses(1, "column \"a\", row 1: types[1] = $bad is not a type id of the union", *reads(1))
                listOf(0L, 2L).map(column::get) shouldBe listOf(0L, 2L)
                shouldThrow<DeviceException> { column.nullCount() }
            }
        }
        for (bad in listOf(-1, 3, Int.MAX_VALUE, Int.MIN_VALUE)) {
            imported(UnionType(UnionMode.DENSE, listOf(5, 1), members)) { out ->
                out.array(2, byteArrayOf(5, 1, 1), ints(0, 1, bad), children = 2, offset = 1)
                repeat(2) { child(out, it).numbers(3) }
            }.use { array ->
                array.asColumn().refuses(1, "column \"a\", row 1: offsets[2] = $bad is beyond the 3 elements of \"y\"",
                    { it.isNull(1) }, { it.getLong(1) }, { it.getChildRow(1) })
                array.asColumn().getTypeId(1) shouldBe 1
                array.asColumn().getLong(0) shouldBe 1
            }
        }
    }

    test("rows after the last run end are rejected, and so are run ends that do not increase [READ-03, READ-07]") {
        fun runs(length: Long, offset: Long, vararg ends: Int) = imported(
            RunEndEncodedType(field("run_ends", DataType.INT32).withNullable(false), field("values", DataType.INT8)),
        ) { out ->
            out.array(length, children = 2, offset = offset)
            child(out, 0).array(ends.size.toLong(), null, ints(*ends))
            child(out, 1).numbers(ends.size)
        }
        runs(6, 2, 3, 5).use { array ->
            val column = array.asColumn()
            listOf(0L, 1L, 2L).map(column::getLong) shouldBe listOf(0L, 1L, 1L)
            for (row in 3L..5) column.refuses(row, "column \"a\", row $row: the runs end at 5, but offset + length = 8",
                { it.getLong(row) }, { it.isNull(row) })
            shouldThrow<DeviceException> { column.toLongArray() }
            val cursor = column.runs()
            listOf(cursor.next(), cursor.next()) shouldBe listOf(true, true)
            repeat(2) {
                shouldThrow<DeviceException> { cursor.next() }.message shouldBe
                    "column \"a\", row 3: the runs end at 5, but offset + length = 8"
            }
        }
        for (bad in listOf(
            intArrayOf(2, 2, 6),
            intArrayOf(4, 1, 6),
            intArrayOf(2, -5, 6),
            intArrayOf(-1, -2, -3),
            intArrayOf(Int.MIN_VALUE, 9, 9),
            intArrayOf(9, 9, 9),
        )) {
            runs(6, 0, *bad).use { array ->
                withClue(bad.toList()) {
                    val column = array.asColumn()
                    for (row in listOf(0L, 3L, 5L, 1L, 4L)) try {
                        column.getLong(row)
                    } catch (e: DeviceException) {
                        e.errno() shouldBe Errno.EINVAL
                    }
                    val cursor = column.runs()
                    try {
                        while (cursor.next()) check(cursor.value() in 0..2 && cursor.start() < cursor.end())
                    } catch (e: DeviceException) {
                        e.errno() shouldBe Errno.EINVAL
                    }
                }
            }
        }
        runs(6, 0, 2, 2, 6).use { array ->
            val cursor = array.asColumn().runs()
            cursor.next() shouldBe true
            shouldThrow<DeviceException> { cursor.next() }.message shouldBe
                "column \"a\", row 2: run_ends[1] = 2 is not behind 2"
        }
    }

    test("an error has the path from the array through fields, elements and dictionaries [READ-07]") {
        val words = DataType.dictionary(DataType.INT8, DataType.listView(field("item", DataType.UTF8_VIEW)))
        imported(DataType.struct(field("lists", DataType.list(field("item", words))))) { out ->
            out.array(1, null, children = 1)
            val lists = child(out, 0).array(1, null, ints(0, 2), children = 1)
            val indices = child(lists, 0).array(2, null, byteArrayOf(0, 1))
            PeerNodes.setArrayDictionary(indices)
            val values = MemorySegment.ofAddress(RawArrowArray.dictionary(indices.address()))
                .reinterpret(RawArrowArray.SIZE)
            values.array(1, null, ints(0), ints(1), children = 1)
            child(values, 0).array(1, null, view(13, 0, 9, 0), null)
        }.use { array ->
            val items = array.asColumn().column("lists").getList(0)
            shouldThrow<DeviceException> { items.get(0) }.message shouldBe
                "column \"a.lists.item.(dictionary).item\", row 0: views[0] is in data buffer 9, but there are 0"
            shouldThrow<DeviceException> { items.get(1) }.message shouldBe
                "column \"a.lists.item\", row 1: index 1 is beyond the 1 values of the dictionary"
            shouldThrow<DeviceException> { array.asColumn().get(0) }
        }
    }
})
