// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.nulls.shouldNotBeNull
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldEndWith
import org.arbalest.device.DeviceArray
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.support.RawArray
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.FixedSizeListType
import org.arbalest.device.types.NestedType.LargeListType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena

/** Tests that the text of a value has a limit. A few bytes of native memory can describe billions of elements. */
class ValueTextBoundSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    val nulls = Field.of("item", DataType.NULL)
    val most = 2_000_000_000

    fun nulls(count: Int) = RawArray(nulls, count, count.toLong(), 0, mutableListOf())

    fun imported(raw: RawArray, look: (DeviceArray) -> Unit) = Arena.ofConfined().use { arena ->
        CData.importArray(raw.laid(arena), CImport.DATA.schema(raw.field)).use(look)
    }

    fun cell(raw: RawArray, check: (String) -> Unit) = imported(raw) { array ->
        check(array.toString().lines()[4].trim())
    }

    test("the text of a list of two billion nulls is cut [READ-61]") {
        val fixed = Field.of("a", FixedSizeListType(nulls, most))
        cell(RawArray(fixed, 1, 0, 0, mutableListOf(null), listOf(nulls(most)))) {
            it shouldBe "[null, null, null, null, null, …"
        }
        val large = Field.of("a", LargeListType(nulls))
        cell(RawArray(large, 1, 0, 0, mutableListOf(null, RawArray.longs(0, most.toLong())), listOf(nulls(most)))) {
            it shouldEndWith "…"
        }
    }

    /**
     * Returns list views on [levels] levels. Each element covers both elements of the level below, so the number of
     * leaves is 2 to the power of [levels].
     */
    fun overlapping(levels: Int, leaf: Int): RawArray {
        var array = RawArray(Field.of("item", DataType.INT32), 2, 0, 0, mutableListOf(null, RawArray.ints(leaf, leaf)))
        repeat(levels) {
            val of = Field.of("item", ListViewType(array.field))
            array = RawArray(of, 2, 0, 0, mutableListOf(null, RawArray.ints(0, 0), RawArray.ints(2, 2)), listOf(array))
        }
        return array
    }

    test("the text and the comparison of list views that overlap on forty levels end in time [READ-61]") {
        cell(overlapping(40, 7)) { it shouldBe "[".repeat(31) + "…" }
        imported(overlapping(40, 7)) { one ->
            imported(overlapping(40, 8)) { other -> one.difference(other).shouldNotBeNull() shouldEndWith ": 7, and 8" }
        }
    }

    test("a long text or binary value is read only as far as its text needs [READ-61]") {
        for (type in listOf(DataType.UTF8, DataType.LARGE_BINARY)) {
            val size = 1 shl 30
            val offsets = if (type == DataType.UTF8) RawArray.ints(0, size) else RawArray.longs(0, size.toLong())
            val raw = RawArray(Field.of("a", type), 1, 0, 0,
                mutableListOf(null, offsets, RawArray.bytes(*ByteArray(4096) { 'a'.code.toByte() })))
            // the offsets claim 2^30 bytes, but only 4,096 exist: a read of all of them would fail
            cell(raw) { it shouldBe (if (type == DataType.UTF8) "a".repeat(31) else "61".repeat(16).dropLast(1)) + "…" }
        }
    }

    test("text beyond the BMP is cut between characters and ends with an ellipsis, also in quotes [READ-61]") {
        val crab = "\uD83E\uDD80"
        fun text(end: String) = (crab.repeat(1000) + end).encodeToByteArray()
        fun array(end: String) = RawArray(Field.of("a", DataType.UTF8), 1, 0, 0,
            mutableListOf(null, RawArray.ints(0, text(end).size), RawArray.bytes(*text(end))))
        imported(array("a")) { one ->
            imported(array("b")) { other ->
                one.difference(other) shouldBe "[0]: \"${crab.repeat(118)}…, and \"${crab.repeat(118)}…"
            }
        }
    }

    test("columns beyond the width of the table are not rendered [READ-61]") {
        val columns = List(30) { Field.of("column $it", FixedSizeListType(nulls, most)) }
        val children = columns.map { RawArray(it, 1, 0, 0, mutableListOf(null), listOf(nulls(most))) }
        imported(
            RawArray(Field.of("", DataType.struct(*columns.toTypedArray())), 1, 0, 0, mutableListOf(null), children),
        ) {
            it.toString() shouldContain "… 26 more columns"
        }
    }
})
