// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.support.ByteStringCases
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.CCompiler
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerNodes.Placement
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/** The bytes of text and binary in views: inline, or in one of several data buffers. */
class ByteStringsViewSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val cases = ByteStringCases(56, 300)
    val values = cases.values

    fun little(vararg numbers: Long, width: Int) = ByteArray(numbers.size * width) {
        (numbers[it / width] shr 8 * (it % width)).toByte()
    }
    fun ints(vararg numbers: Int) = little(*numbers.map(Int::toLong).toLongArray(), width = 4)
    fun longs(vararg numbers: Long) = little(*numbers, width = 8)

    /**
     * Imports [rows] in the layout of C. The offset skips one value, and the data is in three buffers, each of which
     * ends at a guard page.
     */
    fun <T> imported(
        type: DataType,
        rows: List<ByteArray>,
        look: (ByteStringView) -> T,
    ): T = Arena.ofConfined().use { arena ->
        val data = MutableList(3) { byteArrayOf() }
        var views = ints(-1, -1, -1, -1)
        for ((row, value) in rows.withIndex()) {
            if (value.size <= 12) {
                views += ints(value.size) + value.copyOf(12)
            } else {
                val buffer = row % 3
                views += ints(value.size) + value.copyOf(4) + ints(buffer, data[buffer].size)
                data[buffer] += value
            }
        }
        val out = arena.struct(StructKind.ARRAY)
        PeerNodes.array(out, rows.size.toLong(), 0, offset = 1, buffers = 6)
        PeerNodes.setBuffer(out, 1, views, Placement.GUARDED)
        for (i in 0 until 3) PeerNodes.setBuffer(out, 2L + i, data[i], Placement.GUARDED)
        PeerNodes.setBuffer(out, 5, longs(*data.map { it.size.toLong() }.toLongArray()), Placement.GUARDED)
        CData.importArray(out, CImport.DATA.schema(Field.of("a", type))).use { look(it.asColumn().asByteStrings()) }
    }

    test("the bytes of views are counted, compared, hashed and copied correctly, in every place [READ-55]") {
        for (type in listOf(DataType.BINARY_VIEW, DataType.UTF8_VIEW)) {
            imported(type, values) { strings ->
                strings.isText shouldBe (type == DataType.UTF8_VIEW)
                cases.check(strings, pairs = 2000)
            }
        }
    }

    test("equal bytes have the same hash in views and behind offsets, also in slices and beside nulls [READ-55]") {
        fun build(type: DataType) = BatchBuilder.of(Devices.cpu(), values.size).use { batch ->
            val column = batch.column(Field.of("a", type)).viewBufferSize(64)
            for ((row, value) in values.withIndex()) if (row % 7 == 3) column.appendNull() else column.append(value)
            batch.build()
        }
        val views = build(DataType.BINARY_VIEW)
        val offsets = BatchBuilder.of(Devices.cpu(), values.size).use { batch ->
            val column = batch.column(Field.of("a", DataType.BINARY))
            for (row in values.indices) column.append(views.column("a").asByteStrings(), row.toLong())
            batch.build()
        }
        views.use {
            offsets.use {
                views.slice(5, 200).use { slice ->
                    val (one, other) = slice.column("a").asByteStrings() to offsets.column("a").asByteStrings()
                    one.nullCount() shouldBe (5 until 205).count { it % 7 == 3 }
                    for (row in 0L until 200) {
                        if (other.isNull(row + 5)) {
                            shouldThrow<NoSuchElementException> { one.byteLength(row) }
                            one.byteLengthOrDefault(row, -1) shouldBe -1
                        } else {
                            one.contentEquals(row, other, row + 5) shouldBe true
                            one.compare(row, other, row + 5) shouldBe 0
                            one.hash(row) shouldBe other.hash(row + 5)
                        }
                    }
                    shouldThrow<IndexOutOfBoundsException> { one.byteLength(200) }
                }
            }
        }
    }

    test("start() is rejected for views, because their values do not lie in one segment [READ-55]") {
        imported(DataType.UTF8_VIEW, values) { strings ->
            shouldThrow<IllegalArgumentException> { strings.start(0) }.message!! shouldContain
                "of type utf8_view lies in its views and their data buffers, not in one segment"
        }
    }

    test(
        "every read rejects a view with a wrong length, buffer or offset, and its neighbours are read " +
            "[READ-55, READ-07]",
    ) {
        val cases = mapOf(
            ints(-1, 0, 0, 0) to "the length of views[2] is -1",
            ints(Int.MIN_VALUE, 0, 0, 0) to "the length of views[2] is -2147483648",
            ints(13, 0, 2, 0) to "views[2] is in data buffer 2, but there are 2",
            ints(13, 0, -1, 0) to "views[2] is in data buffer -1, but there are 2",
            ints(13, 0, 1, 2) to "views[2] has 13 bytes at 2, but data buffer 1 has 14",
            ints(13, 0, 1, -1) to "views[2] has 13 bytes at -1, but data buffer 1 has 14",
            ints(15, 0, 1, 0) to "views[2] has 15 bytes at 0, but data buffer 1 has 14",
            ints(Int.MAX_VALUE, 0, 1, Int.MAX_VALUE) to
                "views[2] has 2147483647 bytes at 2147483647, but data buffer 1 has 14",
            ints(13, 0, 0, 0) to "views[2] has 13 bytes at 0, but data buffer 0 has 0",
        )
        val readings = listOf<(ByteStringView, Long) -> Any>(
            { it, row -> it.byteLength(row) }, { it, row -> it.byteLengthOrDefault(row, 0) },
            { it, row -> it.contentEquals(row, ByteArray(13)) }, { it, row -> it.startsWith(row, ByteArray(1)) },
            { it, row -> it.compare(row, ByteArray(1)) }, { it, row -> it.hash(row) }, { it, row -> it.byteAt(row, 0) },
            { it, row -> it.compare(row, it, row) }, { it, row -> it.contentEquals(row, it, row) },
            { it, row -> it.getBytes(row) },
            { it, row -> it.copyTo(row, MemorySegment.ofArray(ByteArray(20)), 0) },
        )
        for (type in listOf(DataType.UTF8_VIEW, DataType.BINARY_VIEW)) for ((bad, why) in cases)
            Arena.ofConfined().use { arena ->
                val out = arena.struct(StructKind.ARRAY)
                PeerNodes.array(out, 3, 0, offset = 1, buffers = 5)
                PeerNodes.setBuffer(out, 1, ints(2, 0x6968, 0, 0) + ints(2, 0x6968, 0, 0) + bad + ints(14, 0, 1, 0))
                PeerNodes.setBuffer(out, 2, null)
                PeerNodes.setBuffer(out, 3, "thirteen bytes".encodeToByteArray())
                PeerNodes.setBuffer(out, 4, longs(0, 14))
                CData.importArray(out, CImport.DATA.schema(Field.of("a", type))).use { array ->
                    val strings = array.asColumn().asByteStrings()
                    for (reading in readings) shouldThrow<DeviceException> { reading(strings, 1) }
                        .message!! shouldContain "row 1: $why"
                    strings.contentEquals(0, "hi".encodeToByteArray()) shouldBe true
                    strings.contentEquals(2, "thirteen bytes".encodeToByteArray()) shouldBe true
                }
            }
    }
})
