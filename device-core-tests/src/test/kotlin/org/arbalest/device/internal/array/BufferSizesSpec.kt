// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.ArrayData
import org.arbalest.device.DeviceArray
import org.arbalest.device.DeviceException
import org.arbalest.device.Devices
import org.arbalest.device.internal.device.DeviceBufferImpl
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.batch
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.ListViewType
import org.arbalest.device.types.NestedType.StructType
import org.arbalest.device.types.NestedType.UnionMode
import org.arbalest.device.types.NestedType.UnionType
import java.lang.foreign.MemorySegment

/** The begin of each message about the column "a". */
private const val IN_A = "column \"a\": "

class BufferSizesSpec : FunSpec({
    extension(Balanced)

    /**
     * Builds an array from buffers of these sizes, null for none. Returns the error, or null if an array is created.
     */
    fun attempt(
        type: DataType,
        length: Long,
        vararg sizes: Long?,
        offset: Long = 0,
        children: List<ArrayData> = emptyList(),
    ): String? {
        val buffers = sizes.map { size -> size?.let(Devices.cpu()::allocate)?.also { it.segment().fill(0) } }
        try {
            val data = ArrayData(length, 0, offset, buffers, children, null)
            return runCatching { DeviceArray.of(Field.of("a", type), data).close() }.exceptionOrNull()
                ?.let { it.message!!.also { message -> message shouldStartWith IN_A }.removePrefix(IN_A) }
        } finally {
            buffers.forEach { it?.close() }
        }
    }

    test("each buffer must cover offset + length, exact to the byte [ARR-10]") {
        attempt(DataType.INT64, 3, null, 24) shouldBe null
        attempt(DataType.INT64, 3, null, 23) shouldBe "the values need 24 bytes, but buffers[1] has 23"
        attempt(DataType.INT64, 3, null, 39, offset = 2) shouldBe "the values need 40 bytes, but buffers[1] has 39"
        attempt(DataType.BOOL, 9, null, 2) shouldBe null
        attempt(DataType.BOOL, 9, null, 1) shouldBe "the values need 2 bytes, but buffers[1] has 1"
        attempt(DataType.INT8, 9, 1, 9) shouldBe "the validity bitmap need 2 bytes, but buffers[0] has 1"
        attempt(DataType.UTF8, 2, null, 12, 0) shouldBe null
        attempt(DataType.UTF8, 2, null, 11, 0) shouldBe "the offsets need 12 bytes, but buffers[1] has 11"
        attempt(DataType.LARGE_UTF8, 2, null, 12, 0) shouldBe "the offsets need 24 bytes, but buffers[1] has 12"
        attempt(FixedSizeBinaryType(5), 2, null, 9) shouldBe "the values need 10 bytes, but buffers[1] has 9"
        attempt(FixedSizeBinaryType(0), 1000, null, 0) shouldBe null
        attempt(DataType.UTF8_VIEW, 2, null, 31) shouldBe "the views need 32 bytes, but buffers[1] has 31"
        val item = listOf(ArrayData.of(0, 0, listOf()))
        val nulls = Field.of("item", DataType.NULL)
        attempt(ListViewType(nulls), 2, null, 8, 7, children = item) shouldBe
            "the sizes need 8 bytes, but buffers[2] has 7"
        attempt(UnionType(UnionMode.DENSE, listOf(0), listOf(nulls)), 2, 2, 7, children = item) shouldBe
            "the offsets need 8 bytes, but buffers[1] has 7"
    }

    test("offsets beyond the data or beyond the elements are rejected with the numbers [ARR-09]") {
        fun withOffsets(type: DataType, last: Int, data: Long?, children: List<ArrayData> = emptyList()): String {
            val offsets = Devices.cpu().allocate(12).also {
                it.segment().copyFrom(MemorySegment.ofArray(intArrayOf(0, 1, last)))
            }
            val buffers = listOfNotNull(offsets, data?.let(Devices.cpu()::allocate))
            try {
                return shouldThrow<DeviceException> {
                    DeviceArray.of(Field.of("a", type), ArrayData(2, 0, 0, listOf(null) + buffers, children, null))
                }.message!!.removePrefix(IN_A)
            } finally {
                buffers.forEach { it.close() }
            }
        }
        withOffsets(DataType.UTF8, 1_000_000_000, 5) shouldBe "offsets[2] = 1000000000 is beyond the 5 bytes of data"
        withOffsets(DataType.UTF8, -1, 5) shouldBe "offsets[2] = -1 is beyond the 5 bytes of data"
        withOffsets(ListType(Field.of("item", DataType.NULL)), 4, null, listOf(ArrayData.of(3, 3, listOf()))) shouldBe
            "offsets[2] = 4 is beyond the 3 elements"
    }

    test("building an array requires all buffers of its type, also at length 0 [ARR-08]") {
        attempt(DataType.INT32, 0, null, null) shouldBe "there is no buffer for the values"
        attempt(DataType.UTF8, 0, null, null, 0) shouldBe "there is no buffer for the offsets"
        attempt(DataType.UTF8, 0, null, 4, null) shouldBe "there is no buffer for the data"
        attempt(DataType.UTF8, 0, null, 3, 0) shouldBe "the offsets need 4 bytes, but buffers[1] has 3"
    }

    test("an array must have exactly as many buffers as its type [ARR-04]") {
        attempt(DataType.INT32, 1, 1) shouldBe "there are 1 buffers, but an array of type int32 has 2"
        attempt(DataType.UTF8, 1, null, 8) shouldBe "there are 2 buffers, but an array of type utf8 has 3"
        attempt(DataType.NULL, 1, 8) shouldBe "there are 1 buffers, but an array of type null has 0"
        attempt(DataType.UTF8_VIEW, 1, null, 16, 8, 8) shouldBe null
    }

    test("negative or overflowing offsets and lengths are rejected [ARR-01]") {
        attempt(DataType.INT32, -1, null, 8) shouldContain "0 + -1"
        attempt(DataType.INT32, 1, null, 8, offset = -1) shouldContain "-1 + 1"
        attempt(DataType.INT32, Long.MAX_VALUE, null, 8, offset = 1) shouldContain "1 + 9223372036854775807"
        attempt(DataType.INT64, Long.MAX_VALUE / 2, null, 8) shouldContain "do not fit in memory"
    }

    test("missing children are rejected, and errors contain the path of the field [ARR-15]") {
        val batch = Field.of("", StructType(listOf(Field.of("at", StructType(listOf(Field.of("x", DataType.INT32)))))))
        Devices.cpu().allocate(7).use { x ->
            val inner = ArrayData.of(2, 0, listOf(null), listOf(ArrayData.of(2, 0, listOf(null, x))))
            shouldThrow<DeviceException> { DeviceArray.of(batch, ArrayData.of(2, 0, listOf(null), listOf(inner))) }
                .message shouldBe "$.at.x: the values need 8 bytes, but buffers[1] has 7"
            shouldThrow<DeviceException> { DeviceArray.of(batch, ArrayData.of(2, 0, listOf(null))) }
                .message shouldBe "there are 0 children, but the schema has 1"
            DeviceBufferImpl.unwrap(x).isOpen shouldBe true
        }
        attempt(ListType(Field.of("item", DataType.NULL)), 1, null, 8) shouldBe
            "there are 0 children, but the schema has 1"
    }

    test("children shorter than their parent needs are rejected, and longer ones are accepted [ARR-10]") {
        val batch = Field.of("", StructType(listOf(Field.of("n", DataType.NULL))))
        val three = listOf(ArrayData.of(3, 3, listOf()))
        DeviceArray.of(batch, ArrayData(1, 0, 2, listOf(null), three, null)).close()
        shouldThrow<DeviceException> { DeviceArray.of(batch, ArrayData(2, 0, 2, listOf(null), three, null)) }
            .message shouldBe "$.n: length = 3, but its parent needs 4"
    }

    test("a failed call leaves the buffers to the caller, also if one buffer is passed twice") {
        val (a, b) = List(2) { Devices.cpu().allocate(8) }
        shouldThrow<DeviceException> {
            DeviceArray.of(Field.of("x", DataType.INT64), ArrayData.of(1, 1, listOf(null, a)))
        }
            .message shouldContain "null_count = 1"
        shouldThrow<IllegalStateException> {
            DeviceArray.of(Field.of("x", DataType.INT8), ArrayData.of(1, 0, listOf(b, b)))
        }
        listOf(a, b).forEach { DeviceBufferImpl.unwrap(it).isOpen shouldBe true }
        DeviceArray.of(Field.of("x", DataType.INT8), ArrayData.of(1, 0, listOf(a, b))).close()
        listOf(a, b).forEach { DeviceBufferImpl.unwrap(it).isOpen shouldBe false }
    }
})
