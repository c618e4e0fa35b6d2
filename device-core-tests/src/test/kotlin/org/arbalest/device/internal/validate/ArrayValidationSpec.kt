// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.validate

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.Validation
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.HandLaid
import org.arbalest.device.support.RawArray
import org.arbalest.device.support.RawArray.Companion.blank
import org.arbalest.device.support.RawArray.Companion.bytes
import org.arbalest.device.support.RawArray.Companion.ints
import org.arbalest.device.support.RawArray.Companion.longs
import org.arbalest.device.support.SoundArrays
import org.arbalest.device.support.isAboutValue
import org.arbalest.device.support.setInteger
import org.arbalest.device.support.struct
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.DecimalType
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.FlatType.TimeType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.LargeListType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.device.types.NestedType.MapType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.CCompiler
import org.arbalest.support.CPeer
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import java.math.BigInteger
import java.nio.ByteBuffer

/** Tests of errors in buffers, and of messages that have the path, the row and the numbers. */
class ArrayValidationSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun raw(
        type: DataType, length: Int, vararg buffers: ByteBuffer?, nulls: Long = -1, offset: Int = 0,
        children: List<RawArray> = listOf(), dictionary: RawArray? = null,
        nullable: Boolean = true, name: String = "a",
    ) = RawArray(Field.of(name, type).withNullable(nullable), length, nulls, offset, buffers.toMutableList(),
        children, dictionary)

    fun child(
        name: String,
        type: DataType,
        length: Int,
        vararg buffers: ByteBuffer?,
        nullable: Boolean = true,
        nulls: Long = -1,
    ) =
        raw(type, length, *buffers, nullable = nullable, nulls = nulls, name = name)

    /**
     * Checks that full validation rejects the array, at import and later, and that structural validation does not.
     * Validation of bounds also rejects it, unless a value is wrong. The rejected array must be released once (ARR-18).
     */
    fun refused(array: RawArray, expected: String) = Arena.ofConfined().use { arena ->
        withClue(expected) {
            val out = array.laid(arena)
            val failure = shouldThrow<DeviceException> {
                CData.importArray(out, CImport.DATA.schema(array.field).validation(Validation.FULL))
            }
            failure.message shouldBe expected
            failure.errno() shouldBe Errno.EINVAL
            RawArrowArray.release(out.address()) shouldBe 0
            CPeer.counts().let { it.arrays shouldBe 0; it.doubleReleases shouldBe 0; it.violations shouldBe 0 }
            CData.importArray(array.laid(arena), CImport.DATA.schema(array.field)).use {
                it.validate(Validation.STRUCTURAL)
                shouldThrow<DeviceException> { it.validate(Validation.FULL) }.message shouldBe expected
                if (isAboutValue(expected)) it.validate(Validation.BOUNDS)
                else shouldThrow<DeviceException> { it.validate(Validation.BOUNDS) }.message shouldBe expected
                it.isOpen shouldBe true
            }
        }
    }

    fun <T> passes(array: RawArray, look: (DeviceArray) -> T): T =
        Arena.ofConfined().use { arena ->
            CData.importArray(array.laid(arena), CImport.DATA.schema(array.field).validation(Validation.FULL)).use(look)
        }

    fun passes(array: RawArray) = passes(array) {}

    /** Returns a text column with these rows. */
    fun texts(vararg rows: ByteArray, validity: ByteBuffer? = null, type: DataType = DataType.UTF8): RawArray {
        val offsets = rows.map { it.size }.runningFold(0, Int::plus)
        val buffer = if (type == DataType.UTF8) ints(*offsets.toIntArray())
        else longs(*offsets.map { it.toLong() }.toLongArray())
        return raw(type, rows.size, validity, buffer, ByteBuffer.wrap(rows.fold(ByteArray(0), ByteArray::plus)))
    }

    fun texts(vararg rows: String) = texts(*rows.map { it.encodeToByteArray() }.toTypedArray())

    test("a false null count is rejected, also of a type without nulls of its own [VAL-01]") {
        refused(raw(DataType.INT32, 4, bytes(0b1010), ints(1, 2, 3, 4), nulls = 1),
            "null_count = 1, but 2 of 4 elements are null")
        refused(raw(DataType.INT32, 4, bytes(0b1010), ints(1, 2, 3, 4), nulls = 0),
            "null_count = 0, but 2 of 4 elements are null")
        refused(raw(DataType.BOOL, 3, bytes(-1), bytes(0), nulls = 1), "null_count = 1, but 0 of 3 elements are null")
        val union = UnionType(UnionMode.SPARSE, listOf(0), listOf(Field.of("x", DataType.INT8)))
        refused(raw(union, 1, bytes(0), nulls = 1, children = listOf(child("x", DataType.INT8, 1, null, bytes(0)))),
            "null_count = 1, but arrays of type sparse_union have no nulls of their own")
        passes(raw(DataType.INT32, 4, bytes(0b1010), ints(1, 2, 3, 4), nulls = 2))
        for (said in listOf(-1L, 0, 2)) passes(raw(DataType.NULL, 2, nulls = said)) // DuckDB's null count is 0
    }

    test("a slice may not have more nulls than the null count of the whole array [VAL-01, VAL-11]") {
        Arena.ofConfined().use { arena ->
            val array = raw(DataType.INT32, 4, bytes(0b0011), ints(1, 2, 3, 4), nulls = 1)
            CData.importArray(array.laid(arena), CImport.DATA.schema(array.field)).use { whole ->
                whole.slice(0, 2).use { it.validate(Validation.FULL) }
                whole.slice(1, 2).use { it.validate(Validation.FULL) }
                whole.slice(2, 2).use {
                    shouldThrow<DeviceException> { it.validate(Validation.FULL) }.message shouldBe
                        "null_count = 1, but 2 of 2 elements are null"
                }
            }
        }
    }

    test("nulls in a field that is not nullable are rejected, except where a parent is null [VAL-02]") {
        refused(raw(DataType.INT32, 3, bytes(0b101), ints(1, 2, 3), nullable = false),
            "row 1: null, but the field is not nullable")
        fun struct(validity: ByteBuffer?, x: ByteBuffer?) = raw(
            StructType(listOf(Field.of("x", DataType.INT8).withNullable(false))), 3, validity,
            children = listOf(child("x", DataType.INT8, 3, x, bytes(1, 2, 3), nullable = false)),
        )
        refused(struct(null, bytes(0b011)), "$.x: row 2: null, but the field is not nullable")
        refused(struct(bytes(0b101), bytes(0b001)), "$.x: row 2: null, but the field is not nullable")
        passes(struct(bytes(0b001), bytes(0b001)))
        val pairs = FixedSizeListType(Field.of("x", DataType.INT8).withNullable(false), 2)
        fun lists(validity: Byte, x: Byte) = raw(pairs, 2, bytes(validity),
            children = listOf(child("x", DataType.INT8, 4, bytes(x), bytes(1, 2, 3, 4), nullable = false)))
        refused(lists(0b01, 0b1101), "$.x: row 1: null, but the field is not nullable")
        passes(lists(0b01, 0b0011))
        val union = UnionType(UnionMode.SPARSE, listOf(7, 9),
            listOf(Field.of("p", DataType.INT8).withNullable(false), Field.of("q", DataType.INT8)))
        fun unions(p: Byte) =
            raw(union, 2, bytes(9, 7), children = listOf(
                child("p", DataType.INT8, 2, bytes(p), bytes(1, 2), nullable = false),
                child("q", DataType.INT8, 2, null, bytes(1, 2)),
            ))
        refused(unions(0b01), "$.p: row 1: null, but the field is not nullable")
        passes(unions(0b10))
        val outer = StructType(listOf(
            Field.of("s", StructType(listOf(Field.of("x", DataType.INT8).withNullable(false)))).withNullable(false),
        ))
        fun deep(top: Byte) = raw(outer, 2, bytes(top), children = listOf(struct(null, bytes(0b001))
            .let { RawArray(outer.fields()[0], 3, -1, 0, it.buffers, it.children) }))
        passes(deep(0b01))
        refused(deep(0b11), "$.s.x: row 1: null, but the field is not nullable")
    }

    test("null entries and null keys of a map are rejected, even if the schema allows null entries [VAL-02]") {
        val entries = Field.of(
            "entries",
            StructType(listOf(Field.of("key", DataType.INT8).withNullable(false), Field.of("value", DataType.INT8))),
        )
        fun map(entry: Byte, key: Byte) = raw(
            MapType(entries, false), 1, null, ints(0, 2),
            children = listOf(
                RawArray(
                    entries, 2, -1, 0, mutableListOf(bytes(entry)),
                    listOf(child("key", DataType.INT8, 2, bytes(key), bytes(1, 2), nullable = false),
                        child("value", DataType.INT8, 2, bytes(0), bytes(0, 0))),
                ),
            ),
        )
        refused(map(0b01, 0b11), "$.entries: row 1: null, but the field is not nullable")
        refused(map(0b11, 0b10), "$.entries.key: row 0: null, but the field is not nullable")
        passes(map(0b11, 0b11))
    }

    test("offsets that are negative, descend or exceed the data are rejected, also below nulls [VAL-03]") {
        fun lists(offsets: ByteBuffer, offset: Int = 0, length: Int = 2, validity: ByteBuffer? = null) =
            raw(ListType(Field.of("item", DataType.INT8)), length, validity, offsets, offset = offset,
                children = listOf(child("item", DataType.INT8, 3, null, bytes(1, 2, 3))))
        refused(lists(ints(-1, 0, 1)), "row 0: offsets[0] = -1 is negative")
        refused(lists(ints(0, 2, 1)), "row 1: offsets[2] = 1 is before offsets[1] = 2")
        refused(lists(ints(0, 2, 1), validity = bytes(0b01)), "row 1: offsets[2] = 1 is before offsets[1] = 2")
        refused(lists(ints(0, 2, 4)), "row 1: offsets[2] = 4 is beyond the 3 elements")
        refused(lists(ints(9, 9, 2, 1, 1), offset = 2, length = 2), "row 0: offsets[3] = 1 is before offsets[2] = 2")
        passes(lists(ints(9, 9, 1, 2, 3), offset = 2, length = 2))
        val large = LargeListType(Field.of("item", DataType.NULL))
        fun longLists(vararg offsets: Long) =
            raw(large, offsets.size - 1, null, longs(*offsets), children = listOf(child("item", DataType.NULL, 3)))
        refused(longLists(0, 1L shl 40, 3), "row 1: offsets[2] = 3 is before offsets[1] = 1099511627776")
        refused(longLists(0, 1L shl 40), "row 0: offsets[1] = 1099511627776 is beyond the 3 elements")
        passes(longLists(0, 1, 3))
        refused(raw(DataType.BINARY, 2, null, ints(0, 5, 3), bytes(1, 2, 3)),
            "row 1: offsets[2] = 3 is before offsets[1] = 5")
        refused(raw(DataType.UTF8, 1, null, ints(0, 5), null), "the data is NULL, but the offsets say 5 bytes")
        refused(raw(DataType.LARGE_BINARY, 1, null, longs(0, 1L shl 60), bytes(1)),
            "row 0: offsets[1] = 1152921504606846976 is beyond the 144115188075855872 bytes of data")
        passes(raw(DataType.UTF8, 0, null, null, null))
    }

    test("a slice's offsets may not exceed the array's last offset, and other rows are not checked [VAL-03, VAL-11]") {
        Arena.ofConfined().use { arena ->
            val array = raw(DataType.BINARY, 3, null, ints(0, 1, 7, 2), bytes(1, 2))
            CData.importArray(array.laid(arena), CImport.DATA.schema(array.field)).use { whole ->
                whole.slice(0, 1).use { it.validate(Validation.FULL) }
                whole.slice(0, 2).use {
                    shouldThrow<DeviceException> { it.validate(Validation.FULL) }.message shouldBe
                        "row 1: offsets[2] = 7 is beyond the last, offsets[3] = 2"
                }
                whole.slice(2, 1).use {
                    shouldThrow<DeviceException> { it.validate(Validation.FULL) }.message shouldBe
                        "row 0: offsets[3] = 2 is before offsets[2] = 7"
                }
            }
        }
    }

    fun view(bytes: ByteArray, index: Int = 0, at: Int = 0): ByteArray {
        val view = blank(16)
        view.putInt(0, bytes.size).put(4, bytes.copyOf(12))
        if (bytes.size > 12) view.putInt(8, index).putInt(12, at)
        return view.array()
    }

    test("views with a negative size, a bad range, a wrong prefix or non-zero padding are rejected [VAL-04]") {
        val long = "a text that is long".encodeToByteArray()
        fun views(vararg views: ByteArray, validity: ByteBuffer? = null, type: DataType = DataType.UTF8_VIEW) =
            raw(type, views.size, validity, ByteBuffer.wrap(views.fold(ByteArray(0), ByteArray::plus)),
                ByteBuffer.wrap(long), longs(long.size.toLong()))
        fun spoilt(view: ByteArray, spoil: (ByteBuffer) -> Unit) = bytes(*view.copyOf()).also(spoil).array()
        val short = view("short".encodeToByteArray())
        val good = view(long)
        passes(views(short, good, view(ByteArray(0)), view("twelve bytes".encodeToByteArray())))
        refused(views(short, spoilt(short) { it.putInt(0, -5) }), "row 1: views[1] has -5 bytes")
        refused(views(spoilt(short) { it.put(11, 1) }),
            "row 0: views[0] has 5 inline bytes, but the bytes after them are not 0")
        refused(views(spoilt(view(byteArrayOf(65))) { it.put(6, 1) }),
            "row 0: views[0] has 1 inline bytes, but the bytes after them are not 0")
        refused(views(spoilt(good) { it.putInt(8, 1) }), "row 0: views[0] is in data buffer 1, but there are 1")
        refused(views(spoilt(good) { it.putInt(8, -1) }), "row 0: views[0] is in data buffer -1, but there are 1")
        refused(views(spoilt(good) { it.putInt(12, 1) }), "row 0: views[0] has 19 bytes at 1, but data buffer 0 has 19")
        refused(views(spoilt(good) { it.putInt(12, -1) }),
            "row 0: views[0] has 19 bytes at -1, but data buffer 0 has 19")
        refused(views(spoilt(good) { it.put(5, 'b'.code.toByte()) }),
            "row 0: views[0] begins with 0x61627465, but in data buffer 0 at 0 is 0x61207465")
        refused(views(spoilt(short) { it.put(5, -1) }), "row 0: not UTF-8: a text of 5 bytes has 0xff at 1")
        passes(views(spoilt(short) { it.put(5, -1) }, type = DataType.BINARY_VIEW))
        passes(views(short, spoilt(good) { it.putInt(0, -7).putInt(8, 77) }, validity = bytes(0b01)))
    }

    test("list views beyond the elements are rejected, also below nulls and where a sum overflows [VAL-05]") {
        fun views(offsets: ByteBuffer, sizes: ByteBuffer, validity: ByteBuffer? = null) =
            raw(ListViewType(Field.of("item", DataType.NULL)), 2, validity, offsets, sizes,
                children = listOf(child("item", DataType.NULL, 3)))
        passes(views(ints(3, 0), ints(0, 3)))
        fun wrong(row: Int, offset: Int, size: Int) =
            "row $row: offsets[$row] = $offset and sizes[$row] = $size lead beyond the 3 elements, or are negative"
        refused(views(ints(2, 0), ints(2, 3)), wrong(0, 2, 2))
        refused(views(ints(0, 4), ints(0, 0), validity = bytes(0b01)), wrong(1, 4, 0))
        refused(views(ints(0, -1), ints(0, 0)), wrong(1, -1, 0))
        refused(views(ints(0, 0), ints(0, -1)), wrong(1, 0, -1))
        refused(views(ints(0, Int.MAX_VALUE), ints(0, Int.MAX_VALUE)), wrong(1, Int.MAX_VALUE, Int.MAX_VALUE))
    }

    test("text that is not UTF-8 is rejected with its row and position, except below nulls [VAL-06]") {
        fun row(vararg values: Int) = ByteArray(values.size) { values[it].toByte() }
        passes(texts("", "ASCII", "Zürich", "Москва", "東京", "\uD83D\uDE00",
            "and a text that is longer than a few words, with a ü in its middle", ""))
        for (type in listOf(DataType.UTF8, DataType.LARGE_UTF8)) {
            val good = "fine, fine and fine".encodeToByteArray()
            refused(texts(good, row(65, 0xFF, 66), type = type), "row 1: not UTF-8: a text of 3 bytes has 0xff at 1")
            refused(texts(good, row(0xC0, 0x80), good, type = type), "row 1: not UTF-8: a text of 2 bytes has 0xc0 " +
                "at 0")
            refused(texts(good, row(0xED, 0xA0, 0x80), type = type), "row 1: not UTF-8: a text of 3 bytes has 0xa0 " +
                "at 1")
            refused(texts(good, row(65, 0xC3), row(0xBC, 66), type = type),
                "row 1: not UTF-8: a text of 2 bytes ends within a character")
            refused(texts(row(0xC3), type = type), "row 0: not UTF-8: a text of 1 bytes ends within a character")
            passes(texts(good, row(0xFF, 0xC3), "é".encodeToByteArray(), validity = bytes(0b101), type = type))
            refused(texts(good, row(0xFF, 0xC3), row(0xC3), validity = bytes(0b101), type = type),
                "row 2: not UTF-8: a text of 1 bytes ends within a character")
            passes(texts("ü".encodeToByteArray(), good, ByteArray(0), ByteArray(0), type = type))
        }
        passes(raw(DataType.BINARY, 1, null, ints(0, 1), bytes(-1)))
    }

    test("an index outside the dictionary is rejected except below nulls, and the dictionary is validated [ARR-16]") {
        for (bits in listOf(8, 16, 32, 64)) {
            for (isSigned in listOf(true, false)) {
                val type = DictionaryType(IntType(bits, isSigned), Field.of("", DataType.UTF8), false)
                fun indices(vararg values: Long, validity: ByteBuffer? = null, words: RawArray = texts("x", "y")) = raw(
                    type, values.size, validity,
                    blank(values.size * bits / 8).also { buffer ->
                        values.forEachIndexed { i, it -> buffer.setInteger(bits / 8, i, it) }
                    },
                    dictionary = words,
                )
                passes(indices(0, 1, 0))
                refused(indices(0, 2), "row 1: index 2 is beyond the 2 values of the dictionary")
                val last = if (isSigned) "-1" else "${BigInteger.TWO.pow(bits) - BigInteger.ONE}"
                refused(indices(0, 1, -1), "row 2: index $last is beyond the 2 values of the dictionary")
                passes(indices(0, -1, 1, validity = bytes(0b101)))
                refused(indices(0, -1, 5, validity = bytes(0b101)),
                    "row 2: index 5 is beyond the 2 values of the dictionary")
                refused(indices(0, words = texts()), "row 0: index 0 is beyond the 0 values of the dictionary")
                passes(indices(7, validity = bytes(0), words = texts()))
                refused(indices(0, words = texts("x".encodeToByteArray(), byteArrayOf(-1))),
                    "$.(dictionary): row 1: not UTF-8: a text of 1 bytes has 0xff at 0")
            }
        }
        val nullable = raw(DataType.dictionary(DataType.INT8, DataType.INT8), 1, null, bytes(0),
            dictionary = child("", DataType.INT8, 1, bytes(0), bytes(0)), nullable = false)
        passes(nullable) // only a null index is a null of the field
    }

    test("unknown type ids of a union, and bad offsets of a dense one, are rejected [VAL-07]") {
        val fields = listOf(Field.of("p", DataType.INT8), Field.of("q", DataType.INT8))
        fun children(length: Int) = listOf("p", "q").map { child(it, DataType.INT8, length, null, blank(length)) }
        fun sparse(vararg types: Byte) = raw(UnionType(UnionMode.SPARSE, listOf(5, 127), fields), types.size,
            bytes(*types), children = children(types.size))
        passes(sparse(5, 127, 5))
        refused(sparse(5, 127, 6), "row 2: types[2] = 6 is not a type id of the union")
        refused(sparse(-1), "row 0: types[0] = -1 is not a type id of the union")
        fun dense(types: ByteBuffer, offsets: ByteBuffer) =
            raw(UnionType(UnionMode.DENSE, listOf(5, 127), fields), 3, types, offsets, children = children(2))
        passes(dense(bytes(5, 127, 5), ints(0, 0, 1)))
        passes(dense(bytes(5, 5, 5), ints(0, 0, 1)))
        refused(dense(bytes(5, 0, 5), ints(0, 0, 1)), "row 1: types[1] = 0 is not a type id of the union")
        refused(dense(bytes(5, 127, 5), ints(1, 0, 0)),
            "row 2: offsets[2] = 0 is before 1, which was the last of \"p\"")
        refused(dense(bytes(5, 127, 5), ints(0, 2, 1)), "row 1: offsets[1] = 2 is beyond the 2 elements of \"q\"")
        refused(dense(bytes(5, 127, 5), ints(0, -1, 1)), "row 1: offsets[1] = -1 is beyond the 2 elements of \"q\"")
    }

    test("run ends that do not ascend, do not cover the rows or are null are rejected [VAL-08]") {
        fun runs(bits: Int, length: Int, offset: Int, vararg ends: Long, nulls: ByteBuffer? = null): RawArray {
            val type = IntType(bits, true)
            val buffer = blank(ends.size * bits / 8).also {
                ends.forEachIndexed { i, end -> it.setInteger(bits / 8, i, end) }
            }
            val children = listOf(child("run_ends", type, ends.size, nulls, buffer, nullable = false),
                child("values", DataType.NULL, ends.size))
            return raw(RunEndEncodedType(children[0].field, children[1].field), length, offset = offset,
                children = children)
        }
        for (bits in listOf(16, 32, 64)) {
            passes(runs(bits, 3, 2, 1, 4, 9))
            passes(runs(bits, 0, 0))
            refused(runs(bits, 3, 0, 0, 3), "run_ends[0] = 0 is not behind 0")
            refused(runs(bits, 3, 0, 2, 2, 3), "run_ends[1] = 2 is not behind 2")
            refused(runs(bits, 3, 0, 2, -3, 3), "run_ends[1] = -3 is not behind 2")
            refused(runs(bits, 3, 2, 2, 4), "row 2: the runs end at 4, but offset + length = 5")
            refused(runs(bits, 3, 2, 1), "row 0: the runs end at 1, but offset + length = 5")
            refused(runs(bits, 3, 0, 1, 3, nulls = bytes(0b01)),
                "$.run_ends: row 1: null, but the field is not nullable")
        }
    }

    test("decimals with more digits than their precision are rejected, except below nulls [VAL-09]") {
        for (type in listOf(
            DecimalType(32, 4, 2), DecimalType(32, 9, 0), DecimalType(64, 12, 0), DecimalType(64, 18, 0),
            DecimalType(128, 5, 0), DecimalType(128, 18, 0), DecimalType(128, 19, 0), DecimalType(128, 38, 10),
            DecimalType(256, 7, 0), DecimalType(256, 40, 0), DecimalType(256, 76, 0),
        )) {
            val most = BigInteger.TEN.pow(type.precision()) - BigInteger.ONE
            fun decimals(vararg values: BigInteger, validity: ByteBuffer? = null) = raw(
                type, values.size, validity,
                blank(values.size * type.bits() / 8).also {
                    values.forEachIndexed { i, value -> SoundArrays.decimal(it, type.bits() / 8, i, value) }
                },
            )
            passes(decimals(BigInteger.ZERO, most, most.negate(), BigInteger.ONE.negate(), most.shiftRight(3),
                most.shiftRight(70)))
            val extremes = listOf(BigInteger.TWO.pow(type.bits() - 1) - BigInteger.ONE,
                BigInteger.TWO.pow(type.bits() - 1).negate())
            for (wrong in listOf(most + BigInteger.ONE, most.negate() - BigInteger.ONE) + extremes) {
                refused(decimals(BigInteger.ONE, wrong),
                    "row 1: the unscaled value $wrong has more digits than the precision ${type.precision()}")
                passes(decimals(BigInteger.ONE, wrong, most, validity = bytes(0b101)))
                refused(decimals(wrong, wrong, validity = bytes(0b10)),
                    "row 1: the unscaled value $wrong has more digits than the precision ${type.precision()}")
            }
        }
    }

    test("dates that are no whole days and times outside a day are rejected, except below nulls [VAL-10]") {
        val day = 86_400_000L
        passes(raw(DataType.DATE64, 3, null, longs(0, -day, 3 * day)))
        refused(raw(DataType.DATE64, 3, null, longs(0, day, day + 1)),
            "row 2: 86400001 milliseconds are not a whole number of days")
        refused(raw(DataType.DATE64, 3, bytes(0b101), longs(0, 1, -1)),
            "row 2: -1 milliseconds are not a whole number of days")
        passes(raw(DataType.DATE64, 2, bytes(0b01), longs(0, 1)))
        for (unit in ArrowTimeUnit.entries) {
            val type = TimeType(unit)
            val whole = SoundArrays.day(type)
            fun times(vararg values: Long, validity: ByteBuffer? = null) =
                raw(type, values.size, validity, if (whole <= day) ints(*IntArray(values.size) { values[it].toInt() })
                else longs(*values))
            passes(times(0, whole - 1, 1))
            val units = unit.name.lowercase() + "s"
            refused(times(0, whole), "row 1: $whole is not within the $whole $units of a day")
            refused(times(-1), "row 0: -1 is not within the $whole $units of a day")
            passes(times(0, whole, 1, validity = bytes(0b101)))
            refused(times(whole, whole, -5, validity = bytes(0b100)),
                "row 2: -5 is not within the $whole $units of a day")
        }
    }

    test("the path leads through lists and structs to the error, and the row is counted there [ARR-18]") {
        val words = Field.of("word", DataType.UTF8)
        val item = Field.of("item", StructType(listOf(words)))
        val text = texts("a", "b").let {
            RawArray(words, 3, -1, 0, mutableListOf(null, ints(0, 1, 2, 3), ByteBuffer.wrap(byteArrayOf(65, 66, -1))))
        }
        val items = RawArray(item, 2, -1, 1, mutableListOf(null), listOf(text))
        val lists = raw(StructType(listOf(Field.of("orders", ListType(item)))), 1, null, children = listOf(
            RawArray(Field.of("orders", ListType(item)), 1, -1, 0, mutableListOf(null, ints(0, 1)), listOf(items)),
        ))
        refused(lists, "$.orders.item.word: row 1: not UTF-8: a text of 1 bytes has 0xff at 0")
    }

    test("list elements, children of dense unions and values of runs are validated even if no row uses them [VAL-11]") {
        val wrong = texts("x".encodeToByteArray(), byteArrayOf(-1)).let {
            RawArray(Field.of("x", DataType.UTF8), 2, -1, 0, it.buffers)
        }
        val said = "$.x: row 1: not UTF-8: a text of 1 bytes has 0xff at 0"
        refused(raw(ListType(wrong.field), 1, null, ints(0, 1), children = listOf(wrong)), said)
        refused(raw(ListViewType(wrong.field), 0, null, null, null, children = listOf(wrong)), said)
        refused(raw(UnionType(UnionMode.DENSE, listOf(0), listOf(wrong.field)), 1, bytes(0), ints(0),
            children = listOf(wrong)), said)
        val ends = child("run_ends", DataType.INT32, 2, null, ints(1, 2), nullable = false)
        refused(raw(RunEndEncodedType(ends.field, wrong.field), 1, children = listOf(ends, wrong)), said)
        passes(raw(StructType(listOf(wrong.field)), 1, null, children = listOf(wrong)))
        passes(raw(FixedSizeListType(wrong.field, 1), 1, null, children = listOf(wrong)))
    }

    test("arrays of every type pass validation, whole, sliced and with elements in front [VAL-11]") {
        for (type in HandLaid.types) for (skipped in listOf(0, 1, 9)) withClue("$type after $skipped") {
            HandLaid.imported(type, List(13) { it }, skipped) { array ->
                array.validate(Validation.FULL)
                array.slice(3, 7).use { it.validate(Validation.FULL) }
                array.slice(5, 0).use { it.validate(Validation.FULL) }
            }
        }
        EveryType.batch(0, 30).use { batch ->
            batch.validate(Validation.FULL)
            batch.slice(3, 9).use { it.validate(Validation.FULL) }
        }
    }
})
