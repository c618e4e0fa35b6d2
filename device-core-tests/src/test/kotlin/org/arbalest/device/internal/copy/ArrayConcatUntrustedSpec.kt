// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy

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
import org.arbalest.device.support.BEYOND_32_BITS
import org.arbalest.device.support.HandLaid
import org.arbalest.device.support.struct
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.FlatType.NullType
import org.arbalest.device.types.NestedType.LargeListType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.device.types.NestedType.RunEndEncodedType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import org.arbalest.support.CCompiler
import org.arbalest.support.EveryType
import org.arbalest.support.PeerNodes
import org.arbalest.support.PeerNodes.Placement.GUARDED
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.StructKind
import java.lang.foreign.Arena
import java.lang.foreign.MemorySegment

/**
 * Joining of arrays that untrusted peers wrote: offsets that lead beyond their own array, and more elements than
 * offsets reach.
 */
class ArrayConcatUntrustedSpec : FunSpec({
    extension(CCompiler.needed)
    extension(ResourceCountersExtension)

    fun numbers(vararg values: Long, width: Int = 4) = ByteArray(width * values.size) {
        (values[it / width] shr 8 * (it % width)).toByte()
    }

    fun child(of: MemorySegment, index: Long = 0): MemorySegment =
        MemorySegment.ofAddress(RawArrowArray.child(of.address(), index)).reinterpret(RawArrowArray.SIZE)

    fun lay(out: MemorySegment, length: Int, vararg buffers: ByteArray?, offset: Int = 0, children: Long = 0) {
        PeerNodes.array(out, length.toLong(), 0, offset.toLong(), buffers.size.toLong(), children)
        buffers.forEachIndexed { i, bytes -> PeerNodes.setBuffer(out, i.toLong(), bytes, GUARDED) }
    }

    fun array(type: DataType, lay: (MemorySegment) -> Unit): DeviceArray = Arena.ofConfined().use { arena ->
        CData.importArray(arena.struct(StructKind.ARRAY).also(lay), CImport.DATA.schema(Field.of("a", type)))
    }

    fun joined(vararg arrays: DeviceArray): DeviceArray = try {
        DeviceArray.concat(arrays.toList())
    } finally {
        arrays.forEach(DeviceArray::close)
    }

    fun refusal(vararg arrays: DeviceArray): String {
        val error = shouldThrow<DeviceException> { joined(*arrays).close() }
        error.errno() shouldBe Errno.EINVAL
        return error.message!!
    }

    fun text(data: ByteArray?, vararg offsets: Long): DeviceArray =
        array(DataType.UTF8) { lay(it, offsets.size - 1, null, numbers(*offsets), data) }

    fun list(type: DataType, items: Int, vararg offsets: Long, width: Int = 4): DeviceArray = array(type) { out ->
        lay(out, offsets.size - 1, null, numbers(*offsets, width = width), children = 1)
        PeerNodes.array(child(out), items.toLong(), items.toLong())
    }

    test(
        "texts with offsets that go back, are negative or lie outside, or with NULL data, are not joined [ARR-09, " +
            "ARR-21]",
    ) {
        val good = text("ab".encodeToByteArray(), 0, 1, 2)
        refusal(good.retain(), text(ByteArray(5), 4, 5, 2)) shouldBe
            "arrays[1]: offsets[2] = 2 is before offsets[0] = 4, or one is negative"
        refusal(text(ByteArray(5), -4, 0, 5), good.retain()) shouldBe
            "arrays[0]: offsets[2] = 5 is before offsets[0] = -4, or one is negative"
        refusal(good.retain(), text(ByteArray(5), 1, 900, 5)) shouldBe
            "arrays[1]: offsets[1] = 900 is not between 1 and 5"
        refusal(good.retain(), text(null, 0, 5)) shouldBe "arrays[1]: the data is NULL, but the offsets say 5 bytes"
        refusal(good.retain(), text(ByteArray(3), 0, 1, Int.MAX_VALUE.toLong(), 3).use { it.slice(0, 2) }) shouldBe
            "arrays[1]: offsets[2] = 2147483647 is beyond the last, offsets[3] = 3"
        joined(good, text("xyz".encodeToByteArray(), 1, 1, 3)).use {
            EveryType.rows(it) shouldBe listOf("a", "b", "", "yz")
        }
    }

    test("more text or elements than 32 bits reach are rejected with the numbers, before any byte is read [ARR-21]") {
        val most = Int.MAX_VALUE.toLong()
        val nulls = Field.of("item", NullType())
        refusal(list(ListType(nulls), 1, 0, 1), list(ListType(nulls), Int.MAX_VALUE, 0, most)) shouldBe
            "arrays[1]: 1 + 2147483647 elements $BEYOND_32_BITS"
        refusal(text(ByteArray(1), 0, 1), text(ByteArray(1), 0, most)) shouldBe
            "arrays[1]: 1 + 2147483647 bytes of data $BEYOND_32_BITS"
        fun large(items: Int, last: Long) = list(LargeListType(nulls), items, 0, last, width = 8)
        joined(large(Int.MAX_VALUE, most), large(Int.MAX_VALUE, most)).use {
            it.asColumn().items().length() shouldBe 2 * most
        }
        joined(list(ListType(nulls), 1, 0, 1), list(ListType(nulls), Int.MAX_VALUE - 1, 0, most - 1))
            .use { it.length() shouldBe 2 }
    }

    test("more elements than memory has are rejected, also of types without bytes [ARR-20, ARR-21]") {
        val huge = List(2) {
            array(FixedSizeBinaryType(0)) { out -> PeerNodes.array(out, Long.MAX_VALUE, buffers = 2) }
        }
        refusal(*huge.toTypedArray()) shouldBe
            "arrays[1]: 9223372036854775807 + 9223372036854775807 elements of type fixed_size_binary[0] do not fit " +
            "in memory"
    }

    test("lists with offsets beyond their elements are not joined [ARR-09, ARR-21]") {
        val type = ListType(Field.of("item", NullType()))
        refusal(list(type, 3, 0, 3), list(type, 3, 0, 4)) shouldBe "arrays[1]: offsets[1] = 4 is beyond the 3 elements"
        refusal(list(type, 3, 0, 3), list(type, 3, 0, 2, 1)) shouldBe "arrays[1]: offsets[1] = 2 is not between 0 and 1"
    }

    test("list-views beyond their elements are not joined, except empty and null ones [ARR-21]") {
        val type = ListViewType(Field.of("item", DataType.INT8))
        fun views(offsets: LongArray, sizes: LongArray, validity: ByteArray? = null) = array(type) { out ->
            lay(out, offsets.size, validity, numbers(*offsets), numbers(*sizes), children = 1)
            if (validity != null) RawArrowArray.setNullCount(out.address(), -1)
            lay(child(out), 3, null, byteArrayOf(7, 8, 9))
        }
        for ((offset, size) in listOf(0L to 4L, 3L to 1L, -1L to 2L, 1L to -1L, 2147483647L to 2147483647L)) {
            refusal(views(longArrayOf(0), longArrayOf(3)), views(longArrayOf(0, offset), longArrayOf(1, size))) shouldBe
                "arrays[1]: offsets[1] = $offset and sizes[1] = $size lead beyond the 3 elements"
        }
        joined(
            views(longArrayOf(1, 77), longArrayOf(2, 0)), views(longArrayOf(99, 2), longArrayOf(99, 1), byteArrayOf(2)),
        ).use { whole ->
            val own = array(type) { out ->
                lay(out, 4, byteArrayOf(11), numbers(0, 0, 0, 2), numbers(2, 0, 0, 1), children = 1)
                RawArrowArray.setNullCount(out.address(), 1)
                lay(child(out), 3, null, byteArrayOf(8, 9, 9))
            }
            HandLaid.exported(whole.retain()) shouldBe HandLaid.exported(own)
        }
    }

    test("views into a missing data buffer, or of a negative size, are not joined, except null ones [ARR-21]") {
        fun view(vararg words: Long, validity: ByteArray? = null) = array(FlatType.Utf8ViewType()) { out ->
            lay(out, words.size / 4, validity, numbers(*words), ByteArray(20) { 'a'.code.toByte() },
                numbers(20, width = 8))
            if (validity != null) RawArrowArray.setNullCount(out.address(), -1)
        }
        val good = view(20, 0, 0, 0)
        refusal(good.retain(), view(0, 0, 0, 0, 20, 0, 1, 0)) shouldBe
            "arrays[1]: views[1] is in data buffer 1, but there are 1"
        refusal(good.retain(), view(20, 0, -1, 0)) shouldBe "arrays[1]: views[0] is in data buffer -1, but there are 1"
        for (at in listOf(1L, 1L shl 20, -1L)) {
            refusal(good.retain(), view(20, 0, 0, 0, 20, 0, 0, at)) shouldBe
                "arrays[1]: views[1] has 20 bytes at $at, but data buffer 0 has 20"
        }
        refusal(good.retain(), view(-1, 0, 0, 0)) shouldBe "arrays[1]: views[0] has -1 bytes"
        joined(good, view(20, 0, 9, 0, 3, 'x'.code.toLong(), 0, 0, validity = byteArrayOf(2)))
            .use { it.length() shouldBe 3 }
    }

    test("unions with an unknown type id, or with offsets beyond their elements, are not joined [ARR-21]") {
        val type = UnionType(UnionMode.DENSE, listOf(5), listOf(Field.of("n", DataType.INT8)))
        fun union(id: Int, offset: Long) = array(type) { out ->
            lay(out, 1, byteArrayOf(id.toByte()), numbers(offset), children = 1)
            lay(child(out), 2, null, byteArrayOf(1, 2))
        }
        val good = union(5, 1)
        for (id in listOf(0, -5, 127)) refusal(good.retain(), union(id, 0)) shouldBe
            "arrays[1]: types[0] = $id is not a type id of the union"
        for (offset in listOf(2L, -1L)) refusal(good.retain(), union(5, offset)) shouldBe
            "arrays[1]: offsets[0] = $offset is beyond the 2 elements of \"n\""
        joined(good, union(5, 0)).use { it.length() shouldBe 2 }
    }

    test("run ends that go back, end early or exceed their own type are not joined [ARR-21]") {
        fun runs(length: Int, vararg ends: Long, bits: Int = 16) =
            array(RunEndEncodedType(
                Field.of("run_ends", IntType(bits, true)).withNullable(false), Field.of("values", NullType()),
            )) { out ->
                lay(out, length, children = 2)
                lay(child(out, 0), ends.size, null, numbers(*ends, width = bits / 8))
                PeerNodes.array(child(out, 1), ends.size.toLong(), ends.size.toLong())
            }
        val good = runs(3, 1, 3)
        refusal(good.retain(), runs(5, 2, 2, 5)) shouldBe "arrays[1]: run_ends[1] = 2 is not behind 2"
        refusal(good.retain(), runs(5, 2, 4)) shouldBe "arrays[1]: the runs end at 4, but offset + length = 5"
        refusal(good.retain(), runs(5, -1, -2)) shouldBe "arrays[1]: run_ends[0] = -1 is not behind 0"
        refusal(good.retain(), runs(32765, 32767)) shouldBe
            "arrays[1]: 3 + 32765 elements are more than run ends of 16 bits reach"
        joined(good, runs(32764, 32767)).use { it.length() shouldBe 32767 }
    }

    test("bitmaps at any offset are joined, and not read beyond their last bit [ARR-10, ARR-21]") {
        for (length in listOf(1, 7, 8, 9, 64, 65)) for (offset in listOf(0, 1, 7, 13))
            for (before in listOf(0, 1, 4, 8)) withClue("rows before $before, offset $offset, length $length") {
                fun bits(count: Int) = ByteArray((count + 7) / 8) { i -> (0x2D * (i + 3)).toByte() }
                fun bools(count: Int, skipped: Int) = array(DataType.BOOL) { out ->
                    lay(out, count, bits(skipped + count).map { (it.toInt() xor 0x5A).toByte() }.toByteArray(),
                        bits(skipped + count), offset = skipped)
                    RawArrowArray.setNullCount(out.address(), -1)
                }
                val (first, second) = bools(before, 2) to bools(length, offset)
                val rows = EveryType.rows(first) + EveryType.rows(second)
                joined(first, second).use { EveryType.rows(it) shouldBe rows }
            }
    }
})
