// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Validation
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.support.HandLaid
import org.arbalest.device.support.RawArray
import org.arbalest.device.support.RawArray.Companion.bytes
import org.arbalest.device.support.RawArray.Companion.ints
import org.arbalest.device.support.RawArray.Companion.longs
import org.arbalest.device.support.SoundArrays
import org.arbalest.device.support.setBit
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.DecimalType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import java.math.BigDecimal
import java.math.BigInteger
import java.nio.ByteBuffer
import java.nio.ByteOrder
import kotlin.random.Random

/** The errors of columns, which name the column by its path, and the row; and values that are easily misread. */
class ColumnErrorsSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun raw(
        name: String,
        type: DataType,
        length: Int,
        vararg buffers: ByteBuffer?,
        nulls: Long = 0,
        children: List<RawArray> = listOf(),
    ) =
        RawArray(Field.of(name, type), length, nulls, 0, buffers.toMutableList(), children)

    fun imported(
        raw: RawArray,
        level: Validation = Validation.FULL,
        look: (DeviceArray) -> Unit,
    ) = Arena.ofConfined().use { arena ->
        CData.importArray(raw.laid(arena), CImport.DATA.schema(raw.field).validation(level)).use(look)
    }

    /** Returns a struct "s" with the one field [field]. */
    fun under(field: RawArray): RawArray =
        raw("s", StructType(listOf(field.field)), field.length, null, children = listOf(field))

    test("the error for a null or an unreadable value has the path and the row [READ-62]") {
        fun refused(type: DataType, row: Long, values: ByteBuffer, read: (Column) -> Any?): String {
            var message = ""
            imported(under(raw("f", type, 2, null, values)), Validation.STRUCTURAL) { array ->
                message = shouldThrow<RuntimeException> { read(array.asColumn().column("f")) }.message!!
            }
            withClue(message) { message shouldContain "column \"s.f\" of type " }
            message shouldContain "row $row"
            return message
        }
        refused(DataType.INT64, 1, longs(0, 1L shl 40)) { it.getInt(1) } shouldContain
            "1099511627776 does not fit an int"
        refused(DataType.time(ArrowTimeUnit.SECOND), 1, ints(0, 86_400)) { it.getLocalTime(1) }
        refused(DataType.timestamp(ArrowTimeUnit.SECOND, "Mars/Olympus"), 1, longs(0, 0)) { it.getZonedDateTime(1) }
        imported(under(raw("f", DataType.INT8, 2, bytes(1), bytes(1, 2), nulls = 1))) { array ->
            shouldThrow<NoSuchElementException> { array.asColumn().column("f").getLong(1) }.message shouldBe
                "column \"s.f\" of type int8 is null in row 1; check isNull first, or read it with Column.get, in " +
                "Kotlin with getOrNull"
        }
    }

    test("reading all values as an array is rejected for an unsupported type, even without a value [READ-02]") {
        val longs = listOf<(Column) -> Any>({ it.toLongArray() }, { it.toLongArray(7) })
        val doubles = listOf<(Column) -> Any>({ it.toDoubleArray() }, { it.toDoubleArray(7.0) })
        for (rows in listOf(emptyList(), listOf(3, 7), listOf(0, 1, 2))) {
            for (type in listOf(
                DataType.UTF8,
                DataType.BOOL,
                DataType.NULL,
                ListType(Field.of("item", DataType.INT32)),
                DataType.dictionary(DataType.INT8, DataType.UTF8),
            )) {
                HandLaid.imported(type, rows, 1) { array ->
                    for (read in longs) shouldThrow<IllegalArgumentException> { read(array.asColumn()) }
                        .message shouldContain "cannot be read as an integer; "
                    for (read in doubles) shouldThrow<IllegalArgumentException> { read(array.asColumn()) }
                        .message shouldContain "cannot be read as a number; "
                }
            }
            for (type in listOf(DataType.FLOAT32, DataType.decimal64(18, 2)))
                HandLaid.imported(type, rows, 1) { array ->
                    for (read in longs) shouldThrow<IllegalArgumentException> { read(array.asColumn()) }
                    array.asColumn().toDoubleArray(7.0).size shouldBe rows.size
                }
            for (type in listOf(DataType.DATE32, DataType.timestamp(ArrowTimeUnit.SECOND, null)))
                HandLaid.imported(type, rows, 1) { array ->
                    for (read in doubles) shouldThrow<IllegalArgumentException> { read(array.asColumn()) }
                    array.asColumn().toLongArray(7).size shouldBe rows.size
                }
        }
    }

    test("decimals of every width are read from the least to the greatest value [READ-01]") {
        for (bits in listOf(32, 64, 128, 256)) {
            val type = when (bits) {
                32 -> DataType.decimal32(9, 2)
                64 -> DataType.decimal64(18, 2)
                128 -> DataType.decimal128(38, 2)
                else -> DataType.decimal256(76, 2)
            }
            val most = SoundArrays.most(type as DecimalType)
            val edge = BigInteger.ONE.shiftLeft(minOf(bits, 64) - 2)
            val all = listOf(most, BigInteger.ZERO, BigInteger.ONE, edge, edge * BigInteger.TWO, edge * BigInteger("4"))
                .filter { it <= most }.flatMap { listOf(it, -it, it - BigInteger.ONE, -it - BigInteger.ONE) }
            val values = RawArray.blank(all.size * bits / 8)
            all.forEachIndexed { i, value -> SoundArrays.decimal(values, bits / 8, i, value) }
            imported(raw("d", type, all.size, null, values), Validation.STRUCTURAL) { array ->
                all.forEachIndexed { i, value ->
                    withClue(value) { array.asColumn().getDecimal(i.toLong()) shouldBe BigDecimal(value, 2) }
                }
            }
        }
    }

    test("arrays of all values have the default for nulls only, at any offset and length [READ-50]") {
        val random = Random(3)
        for (length in listOf(0, 1, 63, 64, 65, 130, 300)) for (offset in listOf(0, 1, 7, 65))
            for (rare in listOf(3, 100)) {
                val valid = BooleanArray(offset + length) { random.nextInt(rare) > 0 }
                val bitmap = RawArray.blank(valid.size / 8 + 1).also { bits ->
                    valid.forEachIndexed { i, it -> bits.setBit(i, it) }
                }
                val raw = RawArray(Field.of("n", DataType.INT32), length, -1, offset,
                    mutableListOf(bitmap, ints(*IntArray(valid.size) { it })))
                imported(raw) { array ->
                    val right = List(length) { if (valid[offset + it]) (offset + it).toLong() else -7L }
                    array.asColumn().toLongArray(-7).toList() shouldBe right
                    array.asColumn().toDoubleArray(-7.0).map { it.toLong() } shouldBe right
                }
            }
    }

    test(
        "validation rejects a text view that cuts a character or is not UTF-8, also among overlapping views [VAL-06]",
    ) {
        val text = ("a\u00e9\u65e5\uD83D\uDE00").repeat(40).encodeToByteArray()
        fun views(places: List<Pair<Int, Int>>, data: ByteArray): RawArray {
            val views = RawArray.blank(16 * places.size)
            places.forEachIndexed { i, (at, size) ->
                views.putInt(16 * i, size).putInt(16 * i + 4,
                    ByteBuffer.wrap(data).order(ByteOrder.nativeOrder()).getInt(at)).putInt(16 * i + 12, at)
            }
            return raw("v", DataType.UTF8_VIEW, places.size, null, views, bytes(*data), longs(data.size.toLong()))
        }
        fun isText(at: Int, size: Int, data: ByteArray) =
            runCatching { Charsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(data, at, size)) }.isSuccess
        val random = Random(9)
        val broken = text.copyOf().also { it[200] = -1 }
        for (data in listOf(text, broken)) repeat(100) {
            val places = List(100) {
                random.nextInt(data.size - 13).let { at -> at to random.nextInt(13, minOf(data.size - at, 60) + 1) }
            }
            val good = places.filter { (at, size) -> isText(at, size, data) }
            val bad = places.filterNot { (at, size) -> isText(at, size, data) }.random(random)
            imported(views(good, data)) {}
            shouldThrow<DeviceException> { imported(views(good + bad, data)) {} }.message shouldContain
                "row ${good.size}: not UTF-8"
        }
    }

    test("validation of a hundred thousand views of the same megabyte is fast [VAL-06]") {
        val data = ByteArray(1 shl 20) { 'a'.code.toByte() }.also { "\u00e9".encodeToByteArray().copyInto(it, 100) }
        val rows = 100_000
        val views = RawArray.blank(16 * rows)
        for (i in 0 until rows) views.putInt(16 * i, data.size).put(16 * i + 4, data.copyOf(4))
        imported(raw("v", DataType.UTF8_VIEW, rows, null, views, bytes(*data), longs(data.size.toLong()))) {
            it.length() shouldBe rows
        }
    }
})
