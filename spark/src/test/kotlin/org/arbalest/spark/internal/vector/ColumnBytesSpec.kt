// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.vector

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType
import org.arbalest.device.types.NestedType
import org.arbalest.support.ResourceCountersExtension
import java.lang.foreign.MemorySegment

/** The bytes of ten rows without nulls, computed by hand. */
class ColumnBytesSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun bytes(
        type: DataType,
        value: Any?,
        rows: (RecordBatch) -> RecordBatch = { it.slice(0, 10) },
    ): Long = BatchBuilder.of(Devices.cpu(), 10).use { builder ->
        builder.column(Field.of("x", type), List(10) { value })
        builder.build()
    }.use { all -> rows(all).use { ColumnBytes.of(it.column(0)) } }

    val int = Field.of("item", DataType.INT32)
    val seven = "sevenxx"

    for ((type, value, bytes) in listOf(
        Triple(DataType.NULL, null, 0),
        Triple(DataType.BOOL, true, 2),
        Triple(DataType.INT8, 1L, 10),
        Triple(DataType.INT64, 1L, 80),
        Triple(DataType.INT64, null, 82),
        Triple(DataType.FLOAT32, 1f, 40),
        Triple(DataType.decimal128(9, 2), java.math.BigDecimal("1.00"), 160),
        Triple(DataType.UTF8, seven, 44 + 70),
        Triple(DataType.LARGE_UTF8, seven, 88 + 70),
        Triple(DataType.UTF8_VIEW, seven, 160),
        Triple(DataType.UTF8_VIEW, seven + seven, 160 + 140),
        Triple(FlatType.FixedSizeBinaryType(3), byteArrayOf(1, 2, 3), 30),
        Triple(DataType.timestamp(ArrowTimeUnit.MICROSECOND, "UTC"), java.time.Instant.EPOCH, 80),
        Triple(NestedType.ListType(int), listOf(1L, 2L), 44 + 80),
        Triple(NestedType.ListViewType(int), listOf(1L, 2L), 80 + 80),
        Triple(NestedType.LargeListType(Field.of("item", DataType.UTF8)), listOf(seven), 88 + 44 + 70),
        Triple(NestedType.FixedSizeListType(int, 2), listOf(1L, 2L), 80),
        Triple(NestedType.StructType(listOf(int, Field.of("t", DataType.UTF8))), mapOf("item" to 1L, "t" to seven),
            40 + 44 + 70),
        Triple(NestedType.DictionaryType(FlatType.IntType(16, true), Field.of("values", DataType.UTF8), false),
            seven, 20 + 8 + 7),
        Triple(NestedType.RunEndEncodedType(Field.of("run_ends", DataType.INT32).withNullable(false),
            Field.of("values", DataType.INT64)), 5L, 4 + 8),
    )) {
        test("ten rows of $type, each $value, take $bytes bytes [SPK-17]") {
            bytes(type, value) shouldBe bytes
        }
    }

    for ((type, value, bytes) in listOf(
        Triple(DataType.UTF8, seven, 4 * 4 + 21),
        Triple(DataType.UTF8_VIEW, seven + seven, 3 * 16 + 42),
        Triple(NestedType.ListType(int), listOf(1L, 2L), 4 * 4 + 3 * 8),
        Triple(NestedType.LargeListType(Field.of("item", DataType.UTF8)), listOf(seven, seven), 4 * 8 + 7 * 4 + 42),
        Triple(NestedType.ListViewType(int), listOf(1L, 2L), 3 * 8 + 3 * 8),
        Triple(NestedType.FixedSizeListType(Field.of("item", DataType.UTF8), 2), listOf(seven, seven), 7 * 4 + 42),
        Triple(NestedType.StructType(listOf(Field.of("l", NestedType.ListType(int)))), mapOf("l" to listOf(1L)),
            4 * 4 + 3 * 4),
    )) {
        test("three of ten rows of $type, each $value, take $bytes bytes [SPK-17]") {
            bytes(type, value) { it.slice(4, 3) } shouldBe bytes
        }
    }

    test("views that share bytes count at most the bytes of their buffers [SPK-17]") {
        BatchBuilder.of(Devices.cpu(), 10).use { builder ->
            builder.column(Field.of("x", DataType.UTF8_VIEW), listOf("fourteen bytes") + List(9) { "a" })
            builder.build()
        }.use { array ->
            val views = MemorySegment.ofAddress(array.column(0).bufferAddress(1)).reinterpret(160)
            for (row in 1L until 10) MemorySegment.copy(views, 0, views, 16 * row, 16)
            array.column(0).getString(9) shouldBe "fourteen bytes"
            ColumnBytes.of(array.column(0)) shouldBe 160 + 14
        }
    }
})
