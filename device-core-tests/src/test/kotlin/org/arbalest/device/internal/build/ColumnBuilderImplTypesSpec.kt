// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.builders.ColumnBuilder
import org.arbalest.device.support.Balanced
import org.arbalest.device.support.batch
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.FlatType.DecimalType
import org.arbalest.device.types.FlatType.DurationType
import org.arbalest.device.types.FlatType.FixedSizeBinaryType
import org.arbalest.device.types.FlatType.IntType
import org.arbalest.device.types.FlatType.TimeType
import org.arbalest.device.types.FlatType.TimestampType
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.LargeListType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.device.types.NestedType.StructType
import java.math.BigDecimal
import kotlin.random.Random

class ColumnBuilderImplTypesSpec : FunSpec({
    extension(Balanced)

    /** Builds a column of three rows, and returns its values as objects. */
    fun built(
        type: DataType,
        fill: ColumnBuilder.() -> Unit,
    ): List<Any?> = BatchBuilder.of(Devices.cpu(), 3).use { batch ->
        batch.column(Field.of("a", type)).fill()
        batch.build().use { array -> (0L..2L).map { array.column("a").get(it) } }
    }

    fun refused(
        type: DataType,
        fill: ColumnBuilder.() -> Unit,
    ): String = BatchBuilder.of(Devices.cpu(), 1).use { batch ->
        shouldThrow<IllegalArgumentException> {
            (batch.column(Field.of("a", type)) as ColumnBuilderImpl).apply(fill).checkComplete()
        }.message!!
    }

    test("times outside a day, and dates in milliseconds that are not whole days, are rejected [BLD-18]") {
        val day = 86_400L
        for ((unit, perSecond) in ArrowTimeUnit.entries.zip(listOf(1L, 1_000L, 1_000_000L, 1_000_000_000L))) {
            val (time, last) = TimeType(unit) to day * perSecond - 1
            built(time) { append(0).append(last).appendNull() } shouldBe listOf(0L, last, null)
            for (wrong in listOf(-1L, last + 1)) {
                val why = "the integer $wrong (0 to $last), in row"
                refused(time) { append(0).append(wrong) } shouldContain "$why 1"
                refused(time) { appendAll(longArrayOf(0, 0, wrong)) } shouldContain "$why 2"
                if (wrong == wrong.toInt().toLong()) refused(time) {
                    append(0).appendAll(intArrayOf(0, wrong.toInt()))
                } shouldContain "$why 2"
                refused(DictionaryType(IntType(8, true), Field.of("", time), false)) {
                    append(0).append(wrong)
                } shouldContain "$why 1"
            }
            built(time) { appendAll(longArrayOf(1, last, 2)) } shouldBe listOf(1L, last, 2L)
        }
        val millis = day * 1_000
        built(DataType.DATE64) { append(-millis).appendNull().append(3 * millis) } shouldBe
            listOf(-millis, null, 3 * millis)
        built(DataType.DATE64) { appendAll(longArrayOf(0, -millis, millis)) } shouldBe listOf(0L, -millis, millis)
        for (wrong in listOf(5L, -1L, millis + 1)) {
            val why = "the integer $wrong (whole days, of $millis milliseconds), in row 1"
            refused(DataType.DATE64) { append(0).append(wrong) } shouldContain why
            refused(DataType.DATE64) { appendAll(longArrayOf(millis, wrong)) } shouldContain why
        }
    }

    test("rows that become null before the column is built may have held any value [BLD-18]") {
        built(DataType.DATE64) { append(0).appendAll(longArrayOf(86_400_000, 5)).setNulls { it == 2 } } shouldBe
            listOf(0L, 86_400_000L, null)
        built(TimeType(ArrowTimeUnit.SECOND)) { appendAll(intArrayOf(-1, 7, -1)).setNulls { it != 1 } } shouldBe
            listOf(null, 7L, null)
        BatchBuilder.of(Devices.cpu(), 3).use { batch -> // each attempt fails until the row is null
            val column = batch.column(Field.of("a", TimeType(ArrowTimeUnit.MICROSECOND)))
                .appendAll(longArrayOf(1, -1, 2))
            repeat(2) {
                shouldThrow<IllegalArgumentException> { batch.build() }.message shouldContain
                    "the integer -1 (0 to 86399999999), in row 1"
            }
            column.setNulls { it == 1 }
            batch.build().use { array -> (0L..2L).map { array.column("a").get(it) } shouldBe listOf(1L, null, 2L) }
        }
    }

    test("integers of each width store their limits, and reject values beyond with an error that names them") {
        for (bits in listOf(8, 16, 32)) {
            val (least, most) = -(1L shl bits - 1) to (1L shl bits - 1) - 1
            val signed = IntType(bits, true)
            built(signed) { append(least).append(most).appendNull() } shouldBe listOf(least, most, null)
            refused(signed) { append(most + 1) } shouldContain "the integer ${most + 1} ($least to $most)"
            refused(signed) { append(least - 1) } shouldContain "the integer ${least - 1} ($least to $most)"
            val unsigned = IntType(bits, false)
            val top = (1L shl bits) - 1
            built(unsigned) { append(0).append(top).appendNull() } shouldBe listOf(0L, top, null)
            refused(unsigned) { append(-1) } shouldContain "the integer -1 (0 to $top)"
            refused(unsigned) { append(top + 1) } shouldContain "the integer ${top + 1} (0 to $top)"
        }
        built(DataType.INT64) { append(Long.MIN_VALUE).append(Long.MAX_VALUE).appendNull() } shouldBe
            listOf(Long.MIN_VALUE, Long.MAX_VALUE, null)
        built(DataType.UINT64) { append(-1).append(0).appendNull() } shouldBe
            listOf(BigDecimal("18446744073709551615"), BigDecimal(0), null)
        refused(DataType.UINT8) { appendAll(byteArrayOf(1, -1)) } shouldContain "the integer -1 (0 to 255)"
        refused(DataType.DATE32) { append(1L shl 31) } shouldContain
            "the integer 2147483648 (-2147483648 to 2147483647)"
    }

    test("booleans, floats, dates, timestamps and durations are read as they were appended") {
        built(DataType.BOOL) { append(true).appendNull().append(false) } shouldBe listOf(true, null, false)
        built(DataType.FLOAT16) { append(1.5).append(65504.0).appendNull() } shouldBe listOf(1.5, 65504.0, null)
        built(DataType.FLOAT32) { appendAll(floatArrayOf(0.5f, -0.25f, 3f)) } shouldBe listOf(0.5, -0.25, 3.0)
        built(DataType.FLOAT64) { append(Double.MAX_VALUE).append(0.1).appendNull() } shouldBe
            listOf(Double.MAX_VALUE, 0.1, null)
        val counted = listOf(
            DataType.DATE32, TimestampType(ArrowTimeUnit.MICROSECOND, "Europe/Rome"),
            TimestampType(ArrowTimeUnit.SECOND, null), DurationType(ArrowTimeUnit.NANOSECOND),
        )
        for (type in counted) built(type) { append(86_000).append(-1).appendNull() } shouldBe listOf(86_000L, -1L, null)
    }

    test("integers and floats are appended to wider types that hold them exactly") {
        built(DataType.FLOAT64) { append(5).append(1L shl 53).append(Long.MIN_VALUE) } shouldBe
            listOf(5.0, 9007199254740992.0, -9223372036854775808.0)
        built(DataType.FLOAT32) { append(5).append(16777216).append(-(1L shl 62)) } shouldBe
            listOf(5.0, 16777216.0, -4611686018427387904.0)
        built(DataType.FLOAT16) { append(2048).append(-65504).append(0) } shouldBe listOf(2048.0, -65504.0, 0.0)
        val fills = listOf<ColumnBuilder.() -> Unit>(
            { appendAll(byteArrayOf(1, -2, 3)) }, { appendAll(shortArrayOf(1, -2, 3)) },
            { appendAll(intArrayOf(1, -2, 3)) }, { appendAll(longArrayOf(1, -2, 3)) },
        )
        for (type in listOf(DataType.FLOAT16, DataType.FLOAT32, DataType.FLOAT64)) for (fill in fills)
            built(type, fill) shouldBe listOf(1.0, -2.0, 3.0)
        built(DataType.FLOAT64) { appendAll(floatArrayOf(0.1f, 2f, Float.MAX_VALUE)) } shouldBe
            listOf(0.1f.toDouble(), 2.0, Float.MAX_VALUE.toDouble())
        built(DataType.INT64) { appendAll(intArrayOf(1, Int.MIN_VALUE, Int.MAX_VALUE)) } shouldBe
            listOf(1L, Int.MIN_VALUE.toLong(), Int.MAX_VALUE.toLong())
        built(DataType.decimal64(5, 2)) { append(999).appendAll(intArrayOf(0, -7)) } shouldBe
            listOf("999.00", "0.00", "-7.00").map(::BigDecimal)
    }

    test("an integer that a float or a decimal cannot hold is rejected with column, type, value and row") {
        refused(DataType.FLOAT32) { append(1).append(16777217) } shouldBe
            "column \"a\" of type float32 does not hold the integer 16777217 exactly, in row 1"
        refused(DataType.FLOAT32) { append(1).appendAll(intArrayOf(2, 16777217)) } shouldContain
            "the integer 16777217 exactly, in row 2"
        refused(DataType.decimal32(3, 1)) { appendAll(intArrayOf(99, 100)) } shouldBe
            "column \"a\" of type decimal32(3, 1) does not hold the decimal 100, which takes 4 digits (precision 3), " +
            "in row 1; a type with a precision of 4 does"
        refused(DataType.INT8) { appendAll(intArrayOf(1, 300)) } shouldContain "the integer 300 (-128 to 127), in row 1"
        val random = Random(42)
        for ((type, digits, most) in listOf(
            Triple(DataType.FLOAT64, 53, Long.MAX_VALUE),
            Triple(DataType.FLOAT32, 24, Long.MAX_VALUE),
            Triple(DataType.FLOAT16, 11, 65504L),
        )) {
            val near = (0..63).flatMap { bit -> (-2L..2L).map { (1L shl bit) + it } } + List(200) {
                random.nextLong() shr random.nextInt(64)
            }
            for (value in near + near.map { -it } + listOf(Long.MAX_VALUE, Long.MIN_VALUE, 65504, 65519, 65520)) {
                val significant = if (value == 0L) 0 else 64 - value.countTrailingZeroBits() -
                    (if (value == Long.MIN_VALUE) 0 else Math.abs(value).countLeadingZeroBits())
                if (significant <= digits && (most == Long.MAX_VALUE || value in -most..most)) {
                    built(type) { append(value).append(0).append(0) }[0] shouldBe value.toDouble()
                } else {
                    refused(type) { append(value) } shouldContain "the integer $value exactly, in row 0"
                }
            }
        }
    }

    test("decimals are stored exactly or rejected") {
        val money = DataType.decimal128(10, 2)
        built(money) { append(BigDecimal("12345678.91")).append(BigDecimal("-0.01")).append(7) } shouldBe
            listOf(BigDecimal("12345678.91"), BigDecimal("-0.01"), BigDecimal("7.00"))
        refused(money) { append(BigDecimal("0.001")) } shouldContain "the decimal 0.001, which has 3 digits after " +
            "the point (scale 2), in row 0; round it, for example with setScale(2, RoundingMode.HALF_EVEN)"
        refused(money) { append(BigDecimal("123456789.00")) } shouldContain "the decimal 123456789.00, which takes " +
            "11 digits (precision 10), in row 0; a type with a precision of 11 does"
        built(DataType.decimal128(38, 0)) {
            append(BigDecimal("9".repeat(38))).append(BigDecimal("-" + "9".repeat(38))).appendNull()
        } shouldBe
            listOf(BigDecimal("9".repeat(38)), BigDecimal("-" + "9".repeat(38)), null)
        for ((bits, digits) in listOf(32 to 9, 64 to 18, 256 to 76)) {
            val most = BigDecimal("9".repeat(digits))
            built(DecimalType(bits, digits, 0)) { append(most).append(most.negate()).appendNull() } shouldBe
                listOf(most, most.negate(), null)
        }
    }

    test("text and binary values of each offset width and of a fixed size are read as they were appended") {
        for (type in listOf(DataType.UTF8, DataType.LARGE_UTF8)) {
            built(type) { append("zoë").appendNull().append("") } shouldBe listOf("zoë", null, "")
        }
        for (type in listOf(DataType.BINARY, DataType.LARGE_BINARY, FixedSizeBinaryType(2))) {
            val read = built(type) { append(byteArrayOf(1, 0)).appendNull().append(byteArrayOf(-1, 7)) }
            (read[0] as ByteArray) shouldBe byteArrayOf(1, 0)
            read[1] shouldBe null
            (read[2] as ByteArray) shouldBe byteArrayOf(-1, 7)
        }
        refused(FixedSizeBinaryType(2)) { append(byteArrayOf(1)) } shouldContain "1 bytes"
    }

    test("dictionaries store each text once, and reject more texts than their indices can count") {
        val type = DictionaryType(DataType.INT8, Field.of("values", DataType.UTF8), false)
        built(type) { append("a").appendNull().append("a") } shouldBe listOf("a", null, "a")
        BatchBuilder.of(Devices.cpu(), 129).use { batch ->
            val column = batch.column(Field.of("a", type))
            for (i in 0..127) column.append("text $i")
            column.append("text 5")
            shouldThrow<IllegalArgumentException> { column.append("text 128") }.message shouldBe
                "column \"a\", row 129: value 128 of the dictionary is beyond what int8 indices count (127)"
            batch.build().use { array ->
                array.column("a").dictionary().length() shouldBe 128
                array.column("a").getString(128) shouldBe "text 5"
            }
        }
    }

    test("nested lists and structs are appended before or after their elements") {
        for (type in listOf<(Field) -> DataType>(::ListType, ::LargeListType)) {
            val lists = type(Field.of("item", StructType(listOf(Field.of("x", DataType.INT32)))))
            val read = built(lists) {
                appendList(2).appendNull()
                repeat(3) { items().child("x").append(it.toLong()) }
                items().appendStruct().appendNull().appendStruct()
                appendList(1)
            }
            read shouldBe listOf(listOf(mapOf("x" to 0L), null), null, listOf(mapOf("x" to 2L)))
        }
        refused(ListType(Field.of("item", DataType.NULL))) { appendList(-1) } shouldContain "size -1"
        refused(ListType(Field.of("item", DataType.NULL))) { appendList(Int.MAX_VALUE).appendList(1) } shouldContain
            "has 32-bit offsets, but 2147483648 elements"
    }

    test("a value that a column cannot hold is rejected with the column's name and type") {
        refused(DataType.INT32) { append("1") } shouldBe
            "column \"a\" of type int32 does not hold text; append(long) takes values"
        refused(DataType.UTF8) { append(byteArrayOf()) } shouldBe
            "column \"a\" of type utf8 does not hold bytes; append(String) and append(MemorySegment) take values"
        refused(DataType.INT32) { append(1.0) } shouldContain "a floating-point number"
        refused(DataType.fixedSizeBinary(4)) { append(1L) } shouldContain "an integer"
        refused(DataType.fixedSizeBinary(4)) { appendAll(intArrayOf(1)) } shouldContain "an integer"
        refused(DataType.NULL) { append(true) } shouldContain "a boolean"
        BatchBuilder.of(Devices.cpu(), 1).use { batch ->
            val strict = batch.column(Field.of("s", DataType.INT32).withNullable(false))
            shouldThrow<IllegalArgumentException> { strict.appendNull() }.message shouldContain
                "not nullable, but row 0 is null"
            strict.append(1)
            shouldThrow<IllegalArgumentException> { strict.setNulls { true } }.message shouldContain "not nullable"
        }
    }
})
