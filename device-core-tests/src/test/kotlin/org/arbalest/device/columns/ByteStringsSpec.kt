// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.support.ByteStringCases
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerNodes.Placement
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.ValueLayout

/** The bytes of text and binary, without a String. */
class ByteStringsSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val cases = ByteStringCases(55, 400)
    val values = cases.values

    fun offsets(large: Boolean, ends: List<Int>): ByteArray {
        val width = if (large) 8 else 4
        return ByteArray(width * ends.size) { at ->
            if (at % width < 4) (ends[at / width] shr 8 * (at % width)).toByte() else 0
        }
    }

    /** Imports [rows] in the layout of C. The offset skips one value, and the buffers end at a guard page. */
    fun <T> imported(
        type: DataType,
        rows: List<ByteArray>,
        look: (ByteStringView) -> T,
    ): T = Arena.ofConfined().use { arena ->
        val all = listOf(byteArrayOf(9, 9, 9)) + rows
        val out = arena.struct(StructKind.ARRAY)
        val data = all.fold(byteArrayOf()) { bytes, it -> bytes + it }
        PeerNodes.array(out, rows.size.toLong(), 0, offset = 1, buffers = 3)
        val large = type is FlatType.LargeUtf8Type || type is FlatType.LargeBinaryType
        PeerNodes.setBuffer(out, 1, offsets(large, all.runningFold(0) { end, it -> end + it.size }), Placement.GUARDED)
        PeerNodes.setBuffer(out, 2, data, Placement.GUARDED)
        CData.importArray(out, CImport.DATA.schema(Field.of("a", type))).use { look(it.asColumn().asByteStrings()) }
    }

    test(
        "the bytes of text and binary are counted, compared, hashed and copied, with offsets of both widths [READ-55]",
    ) {
        for (type in listOf(DataType.BINARY, DataType.LARGE_BINARY, DataType.UTF8, DataType.LARGE_UTF8)) {
            imported(type, values) { strings ->
                strings.isText shouldBe (type == DataType.UTF8 || type == DataType.LARGE_UTF8)
                cases.check(strings, pairs = 3000)
                val different = values.map { it.toList() }.distinct()
                values.indices.map { strings.hash(it.toLong()) }.distinct().size shouldBe different.size
            }
        }
    }

    test("equal bytes have the same hash in another type and at another address [READ-55]") {
        val hashes = imported(DataType.BINARY, values) { strings -> values.indices.map { strings.hash(it.toLong()) } }
        imported(DataType.LARGE_UTF8, values.reversed()) { strings ->
            values.indices.map { strings.hash(it.toLong()) }
        } shouldBe hashes.reversed()
    }

    test("fixed-size binary has byte views, even for values of zero bytes [READ-55]") {
        BatchBuilder.of(Devices.cpu(), 3).use { batch ->
            val fixed = batch.column(Field.of("fixed", FlatType.FixedSizeBinaryType(2)))
            fixed.append(byteArrayOf(1, 2)).appendNull().append(byteArrayOf(1, 3))
            val none = batch.column(Field.of("none", FlatType.FixedSizeBinaryType(0)))
            repeat(3) { none.append(byteArrayOf()) }
            batch.build()
        }.use { array ->
            val fixed = array.column("fixed").asByteStrings()
            listOf(fixed.byteLength(0), fixed.byteLengthOrDefault(1, -1), fixed.byteAt(2, 1).toLong()) shouldBe
                listOf<Long>(2, -1, 3)
            listOf(fixed.contentEquals(2, byteArrayOf(1, 3)), fixed.compare(0, fixed, 2) < 0,
                fixed.startsWith(2, byteArrayOf(1))) shouldBe listOf(true, true, true)
            fixed.isText shouldBe false
            array.column("none").asByteStrings().let {
                it.byteLength(1) to it.contentEquals(1, byteArrayOf())
            } shouldBe (0L to true)
            array.slice(2, 1).use { it.column("fixed").asByteStrings().getBytes(0) shouldBe byteArrayOf(1, 3) }
        }
    }

    test("start() returns the place of a value in the column's segment [READ-55]") {
        EveryType.batch(0, 50).use { batch ->
            batch.slice(5, 40).use { slice ->
                for (name in listOf("utf8", "large_binary", "fixed_binary")) {
                    val column = slice.column(name)
                    val strings = column.asByteStrings()
                    Arena.ofConfined().use { arena ->
                        val all = column.segment(arena)
                        strings.forEachValid { row ->
                            all.asSlice(strings.start(row), strings.byteLength(row))
                                .toArray(ValueLayout.JAVA_BYTE) shouldBe strings.getBytes(row)
                        }
                    }
                }
            }
        }
    }

    test("a builder appends rows of a byte view unchanged, and a null as a null [READ-55]") {
        EveryType.batch(0, 20).use { batch ->
            val into = mapOf("utf8" to DataType.LARGE_UTF8, "binary" to DataType.BINARY, "large_utf8" to
                DataType.dictionary(DataType.INT8, DataType.UTF8), "fixed_binary" to FlatType.FixedSizeBinaryType(3))
            BatchBuilder.of(Devices.cpu(), 20).use { copy ->
                for ((name, type) in into) {
                    val strings = batch.column(name).asByteStrings()
                    val column = copy.column(Field.of(name, type))
                    for (row in 0L until 20) column.append(strings, row)
                }
                copy.build()
            }.use { copy ->
                for (name in into.keys) {
                    fun plain(of: RecordBatch) = (0L until 20).map { row ->
                        of.column(name).get(row).let { (it as? ByteArray)?.toList() ?: it }
                    }
                    plain(copy) shouldBe plain(batch)
                }
            }
            BatchBuilder.of(Devices.cpu(), 1).use { copy ->
                shouldThrow<IllegalArgumentException> {
                    copy.column(Field.of("a", DataType.INT8)).append(batch.column("utf8").asByteStrings(), 0)
                }
                val bytes = copy.column(Field.of("b", DataType.BINARY))
                bytes.append(batch.column("utf8").asByteStrings(), 0).length() shouldBe 1
            }
        }
    }

    test("every read rejects offsets beyond the data, with the numbers [READ-55, ARR-09]") {
        fun text(
            offsets: List<Int>,
            data: ByteArray?,
            look: (ByteStringView) -> Unit,
        ) = Arena.ofConfined().use { arena ->
            val out = arena.struct(StructKind.ARRAY)
            PeerNodes.array(out, offsets.size - 1L, buffers = 3)
            PeerNodes.setBuffer(out, 1, offsets(false, offsets))
            PeerNodes.setBuffer(out, 2, data)
            CData.importArray(out, CImport.DATA.schema(Field.of("a", DataType.UTF8))).use {
                look(it.asColumn().asByteStrings())
            }
        }
        val readings = listOf<(ByteStringView, Long) -> Any>(
            { it, row -> it.byteLength(row) }, { it, row -> it.byteLengthOrDefault(row, 0) },
            { it, row -> it.contentEquals(row, ByteArray(1)) }, { it, row -> it.startsWith(row, ByteArray(1)) },
            { it, row -> it.compare(row, ByteArray(1)) }, { it, row -> it.hash(row) }, { it, row -> it.byteAt(row, 0) },
            { it, row -> it.start(row) }, { it, row -> it.compare(row, it, row) },
            { it, row -> it.contentEquals(row, it, row) }, { it, row -> it.getString(row) },
        )
        fun refused(offsets: List<Int>, row: Long, data: ByteArray?, why: String) = text(offsets, data) { strings ->
            for (reading in readings) shouldThrow<DeviceException> { reading(strings, row) }.message!! shouldContain why
        }
        refused(listOf(-4096, 5), 0, ByteArray(5), "offsets[0] = -4096")
        refused(listOf(0, 4, 2), 0, ByteArray(4), "offsets[1] = 4 is beyond the 2")
        refused(listOf(0, 4, 2), 1, ByteArray(4), "offsets[2] = 2 is before offsets[1] = 4")
        refused(listOf(0, 5), 0, null, "the data is NULL, but the offsets say 5 bytes")
        text(listOf(0, 0), null) { it.contentEquals(0, byteArrayOf()) shouldBe true }
        text(listOf(5, 5, 5), null) { strings -> // empty text needs no data
            listOf(0L, 1L).map { strings.byteLength(it) to strings.start(it) } shouldBe listOf(0L to 0L, 0L to 0L)
            strings.getString(1) shouldBe ""
            strings.contentEquals(1, byteArrayOf()) shouldBe true
        }
    }
})
