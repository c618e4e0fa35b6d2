// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.Errno
import org.arbalest.device.c.CData
import org.arbalest.device.c.CExport
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.support.HandLaid
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.NestedType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.PeerMoves
import org.arbalest.support.PeerNodes
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment
import java.lang.foreign.ValueLayout
import kotlin.random.Random

/** Dictionary-encoded arrays joined to one, and the dictionary of the result. */
class ConcatDictionarySpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun number(value: Long, bytes: Int) = ByteArray(bytes) { (value shr 8 * it).toByte() }

    fun dictionary(of: MemorySegment): MemorySegment = MemorySegment.ofAddress(RawArrowArray.dictionary(of.address()))
        .reinterpret(RawArrowArray.SIZE)

    /** Imports a native array of these indices, where null stands for a null row. [lay] lays out its dictionary. */
    fun array(
        type: DictionaryType,
        indices: List<Long?>,
        lay: (MemorySegment) -> Unit,
    ): DeviceArray = Arena.ofConfined().use { arena ->
        val out = arena.struct(StructKind.ARRAY)
        PeerNodes.array(out, length = indices.size.toLong(), nullCount = -1, buffers = 2)
        val valid = indices.foldIndexed(0L) { i, bits, index -> if (index == null) bits else bits or (1L shl i) }
        PeerNodes.setBuffer(out, 0, number(valid, 8))
        PeerNodes.setBuffer(out, 1, indices.map { number(it ?: 99, type.index().bits() / 8) }
            .fold(ByteArray(0), ByteArray::plus))
        PeerNodes.setArrayDictionary(out)
        lay(dictionary(out))
        CData.importArray(out, CImport.DATA.schema(Field.of("d", type)))
    }

    fun words(vararg rows: Int, skipped: Int = 0): (MemorySegment) -> Unit = {
        HandLaid.lay(it, DataType.UTF8, rows.toList(), skipped)
    }

    fun type(bits: Int, signed: Boolean = true, ordered: Boolean = false) =
        DictionaryType(IntType(bits, signed), Field.of("", DataType.UTF8), ordered)

    /** Joins the arrays and closes them. Returns the values, and the length of the dictionary. */
    fun joined(vararg arrays: DeviceArray): Pair<List<Any?>, Long> = try {
        DeviceArray.concat(arrays.toList()).use { EveryType.rows(it) to it.asColumn().dictionary().length() }
    } finally {
        arrays.forEach(DeviceArray::close)
    }

    /** Returns the error of joining arrays whose types differ. */
    fun mismatch(vararg arrays: DeviceArray): String =
        shouldThrow<IllegalArgumentException> { joined(*arrays) }.message!!

    fun refusal(vararg arrays: DeviceArray): String {
        val error = shouldThrow<DeviceException> { joined(*arrays) }
        error.errno() shouldBe Errno.EINVAL
        return error.message!!
    }

    test("joining keeps the same dictionary once, of slices of one array or with equal values elsewhere [ARR-21]") {
        val (a, b) = array(type(8), listOf(2, 0, null), words(1, 2, 4)) to
            array(type(8), listOf(1, null), words(1, 2, 4, skipped = 5))
        val rest = a.slice(1, 2)
        joined(a, b, rest) shouldBe (listOf("w4 w4 w4 w4 ", "w1 ", null, "w2 w2 ", null, "w1 ", null) to 3L)
    }

    test("ordered dictionaries and sorted maps are not joined to unordered ones, also without rows [ARR-21]") {
        fun ordered(is1: Boolean, indices: List<Long?>) = array(type(8, ordered = is1), indices, words(1, 2))
        val wrong = "arrays[1] and arrays[0] differ: they differ in whether keys are sorted, or the " +
            "dictionary is ordered"
        mismatch(ordered(true, listOf()), ordered(false, listOf(1))) shouldBe wrong
        mismatch(ordered(false, listOf(1)), ordered(true, listOf(1))) shouldBe wrong
        joined(ordered(true, listOf(1)), ordered(true, listOf(0))) shouldBe (listOf("w2 w2 ", "w1 ") to 2L)
        fun map(sorted: Boolean) = Arena.ofConfined().use { arena ->
            val unsorted = DataType.map(Field.of("key", DataType.UTF8).withNullable(false),
                Field.of("value", DataType.INT8)) as NestedType.MapType
            val type = NestedType.MapType(unsorted.entries(), sorted)
            CData.importArray(arena.struct(StructKind.ARRAY).also { HandLaid.lay(it, type, listOf(1), 0) },
                CImport.DATA.schema(Field.of("m", type)))
        }
        mismatch(map(false), map(true)) shouldBe wrong
    }

    test(
        "joining keeps each different dictionary once and adapts the indices, but skips arrays without rows [ARR-21]",
    ) {
        for (index in listOf(type(8), type(8, false), type(16), type(32, false), type(64), type(64, false)))
            withClue(index) {
                joined(
                    array(index, listOf(), words(9)),
                    array(index, listOf(1, 0), words(1, 2)),
                    array(index, listOf(0, null, 2), words(4, 3, 6)), // 3 is null
                    array(index, listOf(1), words(1, 2)),
                    array(index, listOf(1), words(4, 3, 6)),
                    array(index, listOf(null), words()),
                ) shouldBe (listOf("w2 w2 ", "w1 ", "w4 w4 w4 w4 ", null, "w6 ", "w2 w2 ", null, null) to 5L)
            }
    }

    test("joining arrays without rows keeps the first array's dictionary [ARR-21]") {
        joined(array(type(8), listOf(), words(1, 2)), array(type(8), listOf(), words(4))) shouldBe (listOf<Any>() to 2L)
    }

    test("equal values of different dictionaries become one, in any order and however often [ARR-21]") {
        val words = List(100) { 4 * it + 1 }
        val parts = List(5) { part -> words.shuffled(Random(part)) }
        val arrays = parts.map { part -> array(type(8, false), List(60) { it.toLong() }, words(*part.toIntArray())) }
        joined(*arrays.toTypedArray()) shouldBe
            (parts.flatMap { part -> part.take(60).map { "w$it ".repeat(it % 5) } } to 100L)
        // growing dictionaries, and values that one dictionary has twice
        joined(
            array(type(8), listOf(1, 0), words(1, 2)),
            array(type(8), listOf(2, 1, 0), words(1, 2, 4)),
            array(type(8), listOf(0, 1, 2), words(2, 2, 1)),
        ) shouldBe (listOf("w2 w2 ", "w1 ", "w4 w4 w4 w4 ", "w2 w2 ", "w1 ", "w2 w2 ", "w2 w2 ", "w1 ") to 3L)
    }

    test("dictionaries of which the rows have few values keep only these [ARR-21]") {
        val many = IntArray(2000) { 20 * it + 1 }
        val few = listOf(1999L, null, 7L, 7L, 1024L)
        fun texts(vararg of: Int?) = of.map { it?.let { row -> "w${20 * row + 1} " } }
        val rows = texts(1999, null, 7, 7, 1024)
        joined(array(type(16), few, words(*many)), array(type(16), few, words(*many, skipped = 3))) shouldBe
            (rows + rows to 3L)
        joined(array(type(16), few, words(*many)), array(type(16), listOf(1, 0), words(29, 33))) shouldBe
            (rows + "w33 w33 w33 " + "w29 w29 w29 w29 " to 5L)
        joined(array(type(16), few, words(*many)), array(type(16), listOf(null), words(29))).second shouldBe 4
        joined(array(type(16), listOf(null), words(*many))) shouldBe (listOf(null) to 0L)
        refusal(array(type(16), listOf(2000), words(*many))) shouldBe
            "arrays[0]: index 2000 is beyond the 2000 values of the dictionary"
    }

    test("joined dictionaries beyond the reach of the indices leave out unused values, or are rejected [ARR-21]") {
        val (first, second) = IntArray(100) { 20 * it + 2 } to IntArray(29) { 20 * it + 1 }
        fun all(count: Int) = listOf(0L until 50, 50L until 100).map { array(type(8), it.toList(), words(*first)) } +
            array(type(8), List(count) { it.toLong() }, words(*second))
        refusal(*all(29).toTypedArray()) shouldBe
            "arrays[2]: $.(dictionary): 100 + 29 values are more than indices of type int8 reach"
        joined(*all(28).toTypedArray()) shouldBe
            ((first.toList() + second.take(28)).map { "w$it ".repeat(it % 5) } to 128L)
        joined(array(type(8), listOf(9), words(*first.copyOf(50))), array(type(8), listOf(9), words(*IntArray(90) {
            20 * it + 6
        }))) shouldBe (listOf("w182 w182 ", "w186 ") to 2L)
        joined(array(type(8, false), listOf(99), words(*first)), array(type(8, false), listOf(28), words(*second)))
            .first[1] shouldBe "w561 "
        val long = IntArray(300) { it }
        joined(array(type(8), List(60) { 5 }, words(*long)), array(type(8), List(60) { 6 }, words(*long)))
            .second shouldBe 300
    }

    test("values that overlap too much to be compared in any time are appended [ARR-21]") {
        val bytes = 1 shl 20
        val views = 4000
        val of = DictionaryType(IntType(16, true), Field.of("", DataType.BINARY_VIEW), false)
        fun overlapping(first: Int) = Devices.cpu().let { cpu ->
            fun buffer(size: Long) = cpu.allocate(size).also { it.segment().fill(0) }
            val layout = buffer(16L * views).also {
                for (i in 0 until views) {
                    it.segment().setAtIndex(ValueLayout.JAVA_INT, 4L * i, bytes - 5000)
                    it.segment().setAtIndex(ValueLayout.JAVA_INT, 4L * i + 3, first + i)
                }
            }
            val values = ArrayData.of(views.toLong(), 0, listOf(null, layout, buffer(bytes.toLong())))
            DeviceArray.of(Field.of("d", of), ArrayData(1000, 0, 0, listOf(null, buffer(2000)), listOf(), values))
        }
        val arrays = listOf(overlapping(0), overlapping(100))
        DeviceArray.concat(arrays).use { it.asColumn().dictionary().length() shouldBe 2L * views }
        arrays.forEach(DeviceArray::close)
    }

    test("an index beyond its own dictionary is rejected, and does not refer to another dictionary [ARR-16, ARR-21]") {
        val good = array(type(8), listOf(1), words(1, 2))
        for (bad in listOf(2L, -1L)) {
            refusal(good.retain(), array(type(8), listOf(0, bad), words(4, 5))) shouldBe
                "arrays[1]: index $bad is beyond the 2 values of the dictionary"
            refusal(array(type(8), listOf(0, bad), words(4, 5)), good.retain()) shouldBe
                "arrays[0]: index $bad is beyond the 2 values of the dictionary"
        }
        good.close()
    }

    test("ordered dictionaries are joined only if one of them has the values of all others in their order [ARR-21]") {
        val ordered = type(8, ordered = true)
        refusal(array(ordered, listOf(0), words(1, 2)), array(ordered, listOf(0), words(4))) shouldBe
            "arrays[1]: $.(dictionary): is ordered, and differs from the dictionary of the arrays before"
        joined(array(ordered, listOf(0), words(1, 2)), array(ordered, listOf(1), words(1, 2))).second shouldBe 2
        joined(array(ordered, listOf(1), words(1, 4)), array(ordered, listOf(2), words(1, 2, 4))) shouldBe
            (listOf("w4 w4 w4 w4 ", "w4 w4 w4 w4 ") to 3L)
        refusal(array(ordered, listOf(1), words(1, 2, 4)), array(ordered, listOf(1), words(4, 1))) shouldBe
            "arrays[1]: $.(dictionary): is ordered, and differs from the dictionary of the arrays before"
    }

    test("dictionaries of every type keep each value once, except with run-ends and dictionaries below [ARR-21]") {
        fun canCompare(of: DataType): Boolean = of !is NestedType.RunEndEncodedType && of !is DictionaryType &&
            of.children().all { canCompare(it.type()) }
        for (values in HandLaid.types.filter { it !is FlatType.NullType }) withClue(values) {
            val type = DictionaryType(IntType(16, true), Field.of("", values), false)
            fun made(rows: List<Int>, skipped: Int) =
                array(type, List(rows.size) { it.toLong() }, { HandLaid.lay(it, values, rows, skipped) })
            fun check(first: List<Int>, second: List<Int>, skipped: Int = 0) {
                val (a, b) = made(first, skipped) to made(second, skipped)
                val whole = DeviceArray.concat(listOf(a, b))
                listOf(a, b).forEach(DeviceArray::close)
                HandLaid.exported(whole.convertTo(Field.of("d", values))) shouldBe
                    HandLaid.expected(values, first + second)
                Arena.ofConfined().use { arena ->
                    val out = arena.struct(StructKind.ARRAY)
                    CData.exportArray(whole, out, CExport.DATA)
                    val found = RawArrowArray.length(dictionary(out).address())
                    PeerMoves.release(out, StructKind.ARRAY)
                    fun value(row: Int) = HandLaid.expected(values, listOf(row))
                    val areSame = first.map(::value) == second.map(::value)
                    val more = second.filter { row -> first.none { value(it) == value(row) } }.distinctBy(::value)
                    found shouldBe first.size + if (canCompare(values)) more.size else if (areSame) 0 else second.size
                }
            }
            check(listOf(4, 5, 9), listOf(4, 5, 9))
            check(listOf(4, 5, 9), listOf(4, 5, 9), skipped = 2)
            check(listOf(4, 5, 9), listOf(4, 5, 7))
            check(listOf(4, 5, 9), listOf(9, 12, 13, 4, 12), skipped = 1)
        }
    }
})
