// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Interval
import org.arbalest.device.types.Schema
import org.arbalest.support.ResourceCountersExtension
import java.math.BigDecimal
import java.math.BigInteger
import java.time.Duration
import java.time.Instant
import java.time.LocalDate
import java.time.LocalDateTime
import java.time.LocalTime
import java.time.OffsetDateTime
import java.time.ZonedDateTime
import java.util.UUID

class ParametersSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun rows(vararg rows: List<Any?>) = Parameters.ofRows(rows.asList())

    /** Returns the type of the only column of these rows' values, and the values. */
    fun column(vararg values: Any?, known: Schema? = null): Pair<String, List<Any?>> =
        Parameters.ofRows(values.map { listOf(it) }).build(known).use { batch ->
            val column = batch.column(0)
            "${batch.schema().fields().single().type()}" to values.indices.map { column[it.toLong()] }
        }

    fun refusal(vararg values: Any?): String = shouldThrow<IllegalArgumentException> { column(*values) }.message!!

    test("each class has its column, with microseconds and the digits of the values [ADB-29]") {
        column(true, null) shouldBe ("bool" to listOf(true, null))
        column(1.toByte()).first shouldBe "int8"
        column(1.toShort()).first shouldBe "int16"
        column(1).first shouldBe "int32"
        column(1L) shouldBe ("int64" to listOf(1L))
        column(1.5f).first shouldBe "float32"
        column(1.5) shouldBe ("float64" to listOf(1.5))
        column("a") shouldBe ("utf8" to listOf("a"))
        column('a') shouldBe ("utf8" to listOf("a"))
        column(Thread.State.WAITING) shouldBe ("utf8" to listOf("WAITING"))
        column(byteArrayOf(1)).first shouldBe "binary"
        column(BigDecimal("12.50"), BigDecimal("3")) shouldBe
            ("decimal128(4, 2)" to listOf(BigDecimal("12.50"), BigDecimal("3.00")))
        column(BigDecimal("1E+3")) shouldBe ("decimal128(4, 0)" to listOf(BigDecimal("1000")))
        column(BigDecimal("0.001")).first shouldBe "decimal128(3, 3)"
        val small = BigDecimal.ONE.scaleByPowerOfTen(-38)
        column(small, null, small.negate(), BigDecimal("0.00")).first shouldBe "decimal128(38, 38)"
        column(BigDecimal.ONE.scaleByPowerOfTen(-76)).first shouldBe "decimal256(76, 76)"
        column(BigDecimal.ZERO).first shouldBe "decimal128(1, 0)"
        column(BigInteger.TEN.pow(40)).first shouldBe "decimal256(41, 0)"
        column(LocalDate.of(2024, 10, 4)).first shouldBe "date32"
        column(LocalTime.of(1, 2, 3, 4000)).first shouldBe "time64[us]"
        column(LocalTime.of(1, 2, 3, 4)).first shouldBe "time64[ns]"
        column(LocalDateTime.of(9999, 1, 2, 3, 4)).first shouldBe "timestamp[us]"
        column(LocalDateTime.of(2024, 1, 2, 3, 4, 5, 6)).first shouldBe "timestamp[ns]"
        column(Duration.ofMillis(1)).first shouldBe "duration[us]"
        val moment = Instant.parse("2024-01-02T03:04:05.000006Z")
        val micros = listOf(moment.epochSecond * 1_000_000 + 6)
        column(moment) shouldBe ("timestamp[us, tz=UTC]" to micros)
        column(OffsetDateTime.parse("2024-01-02T04:04:05.000006+01:00")) shouldBe ("timestamp[us, tz=UTC]" to micros)
        column(ZonedDateTime.parse("2024-01-02T04:04:05.000006+01:00[Europe/Paris]")) shouldBe
            ("timestamp[us, tz=UTC]" to micros)
        val id = UUID.randomUUID()
        Parameters.of(arrayOf(id)).build(null).use { it.column(0).getUuid(0) shouldBe id }
        column(null, null) shouldBe ("null" to listOf(null, null))
    }

    test("numbers of several classes share the narrowest column that has them exactly [ADB-29]") {
        column(1, 2L, null).first shouldBe "int64"
        column(1.toByte(), 2.toShort()).first shouldBe "int16"
        column(1.5f, 2.5).first shouldBe "float64"
        column(1.5f, 16_777_217) shouldBe ("float64" to listOf(1.5, 16_777_217.0))
        column(1L, BigDecimal("0.25"), BigInteger.TEN) shouldBe
            ("decimal128(4, 2)" to listOf("1.00", "0.25", "10.00").map(::BigDecimal))
        refusal(0.5, (1L shl 53) + 1) shouldContain "parameter 1 does not fit its column: "
    }

    test("a value without a column is an error with its position, its class and the remedy [ADB-29]") {
        shouldThrow<IllegalArgumentException> { Parameters.of(arrayOf("a", Any())).build(null) }.message.let {
            it shouldContain "parameter 2 is the class "
            it shouldContain ", which has no column type; use Boolean, "
            it shouldContain "or bind a batch with AdbcStatement.bind"
        }
        refusal(null, Thread.currentThread()) shouldContain
            "parameter 1 of row 1 is the class Thread, which has no "
        refusal(1.5, BigDecimal.ONE) shouldBe
            "parameter 1 has decimals and floating-point numbers; convert all rows to one class"
        refusal(null, 1, "a") shouldBe
            "parameter 1 of row 1 is the class Integer, but parameter 1 of row 2 is the class String; " +
            "convert all to one class"
        refusal(BigDecimal.ONE.scaleByPowerOfTen(-80)) shouldBe
            "parameter 1 needs 80 decimal digits, 80 of them after the point, but a decimal has at most 76; round " +
            "it, or pass it as text"
        shouldThrow<IllegalArgumentException> { rows(listOf(1), listOf(1, 2)) }.message shouldBe
            "row 1 has a different number of parameters than row 0: 2 instead of 1"
        shouldThrow<IllegalArgumentException> { rows(listOf(), listOf()) }.message shouldBe
            "the 2 rows have no parameters"
        shouldThrow<IllegalArgumentException> { Parameters.of(null) }.message shouldBe
            "the array of parameters is null; pass a single null as (Object) null"
    }

    test("lists and arrays become a list column of their elements' class [ADB-29]") {
        column(listOf(1L, 2L), null) shouldBe ("list<item: int64>" to listOf(listOf(1L, 2L), null))
        column(setOf("a", null)) shouldBe ("list<item: utf8>" to listOf(listOf("a", null)))
        column(longArrayOf(1), intArrayOf(), listOf<Any>()) shouldBe
            ("list<item: int64>" to listOf(listOf(1L), listOf(), listOf()))
        column(listOf(1, 2L), shortArrayOf(3)).first shouldBe "list<item: int64>"
        column(arrayOf<Any>(BigDecimal("1.5"), 2), arrayOf<Any>()).first shouldBe "list<item: decimal128(2, 1)>"
        column(listOf(LocalDate.EPOCH)).first shouldBe "list<item: date32>"
        column(charArrayOf('a', 'b')) shouldBe ("list<item: utf8>" to listOf(listOf("a", "b")))
        column(arrayOf(Thread.State.NEW)) shouldBe ("list<item: utf8>" to listOf(listOf("NEW")))
        column(listOf(byteArrayOf(1))).first shouldBe "list<item: binary>"
        val id = UUID.randomUUID()
        Parameters.of(arrayOf(listOf(id))).build(null).use { it.column(0).getList(0).getUuid(0) shouldBe id }
        for ((none, type) in listOf(
            LongArray(0) to "int64", BooleanArray(0) to "bool", CharArray(0) to "utf8", arrayOf<String>() to "utf8",
            arrayOf<Long>() to "int64", arrayOf<Thread.State>() to "utf8",
            arrayOf<OffsetDateTime>() to "timestamp[us, tz=UTC]", arrayOf<BigDecimal>() to "decimal128(1, 0)",
            arrayOf<ByteArray>() to "binary",
        )) column(none) shouldBe ("list<item: $type>" to listOf(listOf<Any>()))
        val ids = Schema.of(Field.of("", DataType.list(DataType.INT64)))
        column(listOf<Any>(), known = ids) shouldBe ("list<item: int64>" to listOf(listOf<Any>()))
    }

    test("nanoseconds are cut off for a database that has microseconds, also in lists and before 1970 [ADB-29]") {
        fun cut(value: Any): Pair<String, Any?> =
            Parameters.of(arrayOf(value)).inMicroseconds().build(null).use { batch ->
                "${batch.schema().fields().single().type()}" to batch.column(0)[0]
            }
        cut(LocalTime.of(0, 0, 0, 1_999)) shouldBe ("time64[us]" to 1L)
        cut(LocalDateTime.of(1969, 12, 31, 23, 59, 59, 999_999_999)) shouldBe ("timestamp[us]" to -1L)
        cut(OffsetDateTime.parse("2400-01-01T00:00:00.000000999Z")).first shouldBe "timestamp[us, tz=UTC]"
        cut(Duration.ofNanos(1_999)) shouldBe ("duration[us]" to 1L)
        for ((nanos, cut) in listOf(1_999L to 1_000L, -1_999L to -1_000L, 3_000L to 3_000L))
            cut(Interval(1, 2, nanos)) shouldBe ("month_day_nano_interval" to Interval(1, 2, cut))
        cut(listOf(LocalTime.of(0, 0, 0, 1_999), null)) shouldBe ("list<item: time64[us]>" to listOf(1L, null))
        cut("a") shouldBe ("utf8" to "a")
    }

    test("a list without a type is an error with its position, its element and the remedy [ADB-29]") {
        for (none in listOf(listOf<Any>(), listOf(null), arrayOf<Any>(), arrayOf<LongArray>())) refusal(none) shouldBe
            "parameter 1 is a list without a value, so the type of its elements is unknown; pass an empty array, " +
            "such as new long[0] or new String[0]"
        refusal(null, listOf<Any>(), listOf(1, "a")) shouldBe
            "element 0 of parameter 1 of row 2 is the class Integer, but element 1 of parameter 1 of row 2 is the " +
            "class String; convert all to one class"
        refusal(longArrayOf(1, 2), listOf("a")) shouldContain
            "but element 0 of parameter 1 of row 1 is the class String"
        refusal(listOf(1, Any())) shouldContain "element 1 of parameter 1 is the class Object"
        refusal(listOf(listOf(1))) shouldBe "element 0 of parameter 1 is a list, and a list of lists has no column " +
            "type; bind a batch with AdbcStatement.bind"
        refusal(1, listOf(1)) shouldContain "parameter 1 of row 0 is the class Integer, but parameter 1 of row 1 is "
    }

    test("the driver's type is used if it can store all values, otherwise the values' own [ADB-29]") {
        fun known(type: DataType) = Parameters.fields(Schema.of(Field.of("", type).withNullable(false)))
        column(1L, null, known = known(DataType.INT16)) shouldBe ("int16" to listOf(1L, null).map { it?.toShort() })
        column(70_000, known = known(DataType.INT16)) shouldBe ("int32" to listOf(70_000))
        column(null, known = known(DataType.UTF8)) shouldBe ("utf8" to listOf(null))
        column(BigDecimal("0.5"), known = known(DataType.UTF8)).first shouldBe "decimal128(1, 1)"
        column("a", known = known(DataType.NULL)).first shouldBe "utf8"
        shouldThrow<IllegalArgumentException> { rows(listOf(1, 2)).build(known(DataType.INT32)) }.message shouldBe
            "the prepared query has 1 parameters, but 2 values were passed"
    }
})
