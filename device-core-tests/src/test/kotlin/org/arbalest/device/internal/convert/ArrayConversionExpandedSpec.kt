// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.ints.shouldBeGreaterThan
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Errno
import org.arbalest.device.Validation
import org.arbalest.device.c.CData
import org.arbalest.device.c.CImport
import org.arbalest.device.internal.abi.RawArrowArray
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.support.BEYOND_32_BITS
import org.arbalest.device.support.LaidValues.read
import org.arbalest.device.support.OtherLayouts
import org.arbalest.device.support.RawArray
import org.arbalest.device.support.SoundArrays
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.CCompiler
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.Arena
import java.nio.ByteBuffer
import kotlin.random.Random

/**
 * Run-ends and dictionaries of a few bytes that stand for more than memory can hold. The conversion fails at once, with
 * the numbers.
 */
class ArrayConversionExpandedSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun text(vararg values: String?): RawArray {
        val nulls = values.count { it == null }
        val valid = values.foldIndexed(0) { i, bits, value -> if (value == null) bits else bits or (1 shl i) }
        val ends = values.runningFold(0) { end, value -> end + (value?.length ?: 0) }
        val data = values.filterNotNull().joinToString("").encodeToByteArray()
        return RawArray(Field.of("values", DataType.UTF8), values.size, nulls.toLong(), 0,
            mutableListOf(RawArray.bytes(valid.toByte()), RawArray.ints(*ends.toIntArray()), ByteBuffer.wrap(data)))
    }

    fun plain(
        type: DataType,
        length: Int,
        vararg buffers: ByteBuffer?,
        name: String = "values",
        children: List<RawArray> = listOf(),
        dictionary: RawArray? = null,
    ) =
        RawArray(Field.of(name, type), length, 0, 0, buffers.toMutableList(), children, dictionary)

    /** Imports run-ends whose runs end at these rows, and passes them to [use]. */
    fun <T> runs(values: RawArray, vararg ends: Long, use: (DeviceArray) -> T): T = Arena.ofConfined().use { arena ->
        val runEnds = RawArray(Field.of("run_ends", DataType.INT64).withNullable(false), ends.size, 0, 0,
            mutableListOf(null, RawArray.longs(*ends)))
        val array = RawArray(Field.of("a", DataType.runEndEncoded(DataType.INT64, values.field)), 1, 0, 0,
            mutableListOf(), listOf(runEnds, values))
        val out = array.laid(arena).also { RawArrowArray.setLength(it.address(), ends.last()) }
        CData.importArray(out, CImport.DATA.schema(array.field)).use(use)
    }

    fun refused(array: DeviceArray, requested: DataType, errno: Int = Errno.EINVAL): String {
        val before = ResourceCounters.now()
        val thrown = shouldThrow<DeviceException> { array.convertTo(Field.of("a", requested)) }
        thrown.errno() shouldBe errno
        ResourceCounters.now() shouldBe before
        return thrown.message!!
    }

    val long = "x".repeat(100)
    val many = 1L shl 40

    test("text in run-ends that is too long for offsets is rejected by its sum, before any row is expanded [REQ-04]") {
        runs(text(long), many) {
            refused(it, DataType.UTF8) shouldBe "${100 * many} bytes of data $BEYOND_32_BITS"
        }
        runs(text(null, "", long), many, 2 * many, 2 * many + (1L shl 25)) {
            refused(it, DataType.UTF8) shouldBe "${100L shl 25} bytes of data $BEYOND_32_BITS"
            it.slice(many, many + (1L shl 25) - 1).use { cut -> refused(cut, DataType.UTF8) } shouldBe
                "${(100L shl 25) - 100} bytes of data $BEYOND_32_BITS"
        }
        runs(text(long), 1L shl 53) {
            refused(it, DataType.LARGE_UTF8) shouldBe
                "row 0: ${1L shl 53} texts of 100 bytes, beside 0 others, do not fit in memory"
        }
        val list = DataType.list(Field.of("item", DataType.INT8))
        val lists = plain(list, 1, null, RawArray.ints(0, 3),
            children = listOf(plain(DataType.INT8, 3, null, RawArray.bytes(1, 2, 3), name = "item")))
        runs(lists, many) { refused(it, list) shouldBe "${3 * many} elements $BEYOND_32_BITS" }
    }

    test("a dictionary whose rows are too long for offsets is rejected by the sum, also in run-ends [REQ-04]") {
        val words = plain(DataType.UTF8, 1, null, RawArray.ints(0, 1 shl 20), RawArray.blank(1 shl 20), name = "")
        val encoded = plain(DataType.dictionary(DataType.INT8, DataType.UTF8), 4096, null, RawArray.blank(4096),
            dictionary = words)
        Arena.ofConfined().use { arena ->
            CData.importArray(encoded.laid(arena), CImport.DATA.schema(encoded.field)).use {
                refused(it, DataType.UTF8) shouldBe "${1L shl 32} bytes of data $BEYOND_32_BITS"
            }
        }
        runs(encoded.also { it.length = 1 }, many) {
            refused(it, DataType.UTF8) shouldBe
                "row 0: $many texts of ${1 shl 20} bytes, beside 0 others, do not fit in memory"
        }
    }

    test("a conversion whose result exceeds memory fails with the numbers, and leaks nothing [REQ-11]") {
        val rows = 1L shl 50
        runs(plain(DataType.INT64, 1, null, RawArray.longs(7)), rows) {
            refused(it, DataType.INT64, Errno.ENOMEM) shouldContain "failed: ENOMEM, asked for ${8 * rows} bytes"
        }
        runs(text(""), rows) {
            refused(it, DataType.UTF8_VIEW, Errno.ENOMEM) shouldContain "failed: ENOMEM, asked for ${16 * rows} bytes"
        }
        runs(plain(DataType.INT64, 1, null, RawArray.longs(7)), 1L shl 55) {
            refused(it, DataType.INT64) shouldBe "${1L shl 55} elements do not fit in memory"
        }
        runs(plain(DataType.fixedSizeBinary(1 shl 20), 1, null, RawArray.blank(1 shl 20)), rows) {
            refused(it, DataType.fixedSizeBinary(1 shl 20)) shouldBe
                "$rows values of ${1 shl 20} bytes do not fit in memory"
        }
    }

    test("expanding needs working memory by runs, so rows without bytes may be very many [REQ-11]") {
        runs(plain(DataType.fixedSizeBinary(0), 2, null, RawArray.blank(1)), 5, 1L shl 44) { array ->
            array.convertTo(Field.of("a", DataType.fixedSizeBinary(0))).use { it.length() shouldBe (1L shl 44) }
        }
    }

    test("lists in run-ends are gathered by runs, and only the result is too large for memory [REQ-04]") {
        val item = plain(DataType.INT8, 3, null, RawArray.bytes(1, 2, 3), name = "item")
        val lists = plain(DataType.list(item.field), 3, null, RawArray.ints(0, 2, 2, 3), children = listOf(item))
        val rows = 1L shl 50
        runs(lists, 1, rows, rows + 2) {
            refused(it, lists.type, Errno.ENOMEM) shouldContain "failed: ENOMEM, asked for"
        }
    }

    test("fixed-size lists in run-ends are rejected by their sum, and those of size 0 need no memory [REQ-04]") {
        fun lists(size: Int): RawArray {
            val item = plain(DataType.INT8, size, null, RawArray.blank(size), name = "item")
            return plain(DataType.fixedSizeList(item.field, size), 1, null, children = listOf(item))
        }
        runs(lists(1 shl 20), 1L shl 50) {
            refused(it, lists(1 shl 20).type) shouldBe
                "${1L shl 50} lists of ${1 shl 20} elements do not fit in memory"
        }
        runs(lists(0), 1L shl 50) { array ->
            array.convertTo(Field.of("a", lists(0).type)).use { it.length() shouldBe (1L shl 50) }
        }
    }

    test("a dense union in run-ends with too many elements for its offsets is rejected by their number [REQ-04]") {
        val child = plain(DataType.INT8, 1, null, RawArray.bytes(1), name = "c")
        val union =
            plain(DataType.denseUnion(child.field), 1, RawArray.bytes(0), RawArray.ints(0), children = listOf(child))
        runs(union, many) {
            refused(it, union.type) shouldBe
                "$many elements of \"c\" are more than offsets of 32 bits reach; take fewer rows"
        }
    }

    test("runs of all lengths, sliced anywhere, keep the value of each row [REQ-01]") {
        val ends = listOf(1L, 2, 9, 9 + 64, 9 + 64 + 3, 200)
        val values = text("a", null, "b", long, "", "c")
        val expected = ends.indices.flatMap { run ->
            List((ends[run] - (if (run == 0) 0 else ends[run - 1])).toInt()) {
                listOf("a", null, "b", long, "", "c")[run]
            }
        }
        runs(values, *ends.toLongArray()) { array ->
            for (type in listOf(DataType.UTF8, DataType.LARGE_UTF8, DataType.UTF8_VIEW))
                for ((from, count) in listOf(0 to 200, 1 to 1, 2 to 8, 8 to 2, 40 to 150, 75 to 2, 199 to 1))
                    withClue("$type, $count rows from $from") {
                        array.slice(from.toLong(), count.toLong()).use { cut ->
                            cut.convertTo(Field.of("a", type)).use {
                                read(it.asColumn()) shouldBe expected.subList(from, from + count)
                            }
                        }
                    }
        }
    }

    test("long runs of random values, sliced anywhere, keep their values in random layouts [REQ-01]") {
        var converted = 0
        for (seed in 0 until 600) withClue(seed) {
            val random = Random(seed)
            val raw = SoundArrays(random).array()
            if (raw.length == 0) continue
            val ends = List(raw.length) { random.nextLong(1, 60) }.runningReduce(Long::plus)
            val requested = (OtherLayouts.of(raw.type) + raw.type).random(random)
            val values = Arena.ofConfined().use { arena ->
                CData.importArray(raw.laid(arena), CImport.DATA.schema(raw.field)).use { read(it.asColumn()) }
            }
            val all = values.flatMapIndexed { run, value ->
                List((ends[run] - (if (run == 0) 0 else ends[run - 1])).toInt()) { value }
            }
            runs(raw, *ends.toLongArray()) { array ->
                val from = random.nextInt(all.size)
                val count = random.nextInt(1, all.size - from + 1)
                array.slice(from.toLong(), count.toLong()).use { cut ->
                    val result = try {
                        cut.convertTo(raw.field.withType(requested))
                    } catch (e: DeviceException) {
                        if (OtherLayouts.mayRefuse(e)) return@runs else throw e
                    }
                    result.use {
                        (read(it.asColumn()) == all.subList(from, from + count)) shouldBe true // to Kotest, NaNs differ
                        it.validate(Validation.FULL)
                        converted++
                    }
                }
            }
        }
        converted shouldBeGreaterThan 400
    }
})
