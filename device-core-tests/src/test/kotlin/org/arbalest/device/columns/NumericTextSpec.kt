// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.assertions.withClue
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.objects.Records
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Extension.Opaque
import org.arbalest.device.types.Field
import org.arbalest.device.types.Metadata
import org.arbalest.device.types.NestedType.DictionaryType
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.support.ResourceCountersExtension
import java.math.BigDecimal

@JvmRecord
private data class Priced(val price: BigDecimal?)

@JvmRecord
private data class Counted(val price: Long)

@JvmRecord
private data class Lists(val prices: List<BigDecimal?>)

/** PostgreSQL's `numeric`, which its driver delivers as text with the type's name in the metadata. */
class NumericTextSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun numeric(type: DataType, name: String = "price") =
        Field.of(name, type).withExtension(Opaque("numeric", "PostgreSQL"))

    fun batch(field: Field, vararg texts: String?): RecordBatch =
        BatchBuilder.of(Devices.cpu(), texts.size).use { builder ->
            builder.column(field, texts.asList())
            builder.build()
        }

    val early = Field.of("price", DataType.UTF8).withMetadata(Metadata.of("ADBC:postgresql:typname", "numeric"))
    val texts = listOf(DataType.UTF8, DataType.LARGE_UTF8, DataType.UTF8_VIEW)
    val fields = texts.map(::numeric) + early +
        listOf(
            DictionaryType(DataType.INT32, numeric(DataType.UTF8), false),
            DataType.runEndEncoded(DataType.INT32, numeric(DataType.UTF8)),
        ).map { Field.of("price", it) }
    val digits = "123456789012345678901234567890.000000000100"

    test("text that its field names numeric is read as decimals, with each digit and the scale [EXT-12]") {
        for (field in fields) withClue(field) {
            batch(field, "-0.50", null, digits, "7").use { array ->
                val column = array.column(0)
                column.getDecimal(0) shouldBe BigDecimal("-0.50")
                column.isNull(1) shouldBe true
                column.getDecimal(2) shouldBe BigDecimal(digits)
                column.getDouble(3) shouldBe 7.0
                column.toDoubleArray(0.0).toList() shouldBe listOf(-0.5, 0.0, digits.toDouble(), 7.0)
                column.getString(2) shouldBe digits
                column[0] shouldBe "-0.50"
                Records.of(Priced::class.java).toList(array).map { it.price } shouldBe
                    listOf(BigDecimal("-0.50"), null, BigDecimal(digits), BigDecimal(7))
            }
        }
    }

    test("NaN and the infinities are doubles, and as decimals errors with row and text [EXT-12]") {
        for (field in fields) withClue(field) {
            batch(field, "1", "NaN", "inf", "-Infinity", "7,5", "x".repeat(90)).use { array ->
                val column = array.column(0)
                (1L..3L).map { "${column.getDouble(it)}" } shouldBe listOf("NaN", "Infinity", "-Infinity")
                shouldThrow<ArithmeticException> { column.getDouble(4) }.message shouldContain "\"7,5\""
                shouldThrow<ArithmeticException> { column.getDecimal(5) }.message shouldContain
                    "\"${"x".repeat(40)}…\""
                shouldThrow<ArithmeticException> { column.getDecimal(1) }.message shouldContain
                    ", row 1: \"NaN\" cannot be read as a decimal; getString reads it, and getDouble reads NaN"
                shouldThrow<ArithmeticException> { Records.of(Priced::class.java).toList(array) }
            }
        }
        batch(early, "1", "nan").use { array ->
            array.slice(1, 1).use {
                shouldThrow<ArithmeticException> { it.column(0).getDecimal(0) }.message shouldStartWith
                    "column \"price\", row 0: \"nan\""
            }
        }
    }

    test("elements of lists are read in the same way [EXT-12]") {
        val field = Field.of("prices", ListType(numeric(DataType.UTF8, "item")))
        BatchBuilder.of(Devices.cpu(), 2).use { builder ->
            builder.column(field, listOf(listOf("1.50", null), listOf("2")))
            builder.build()
        }.use { array ->
            array.column(0).getList(0).getDecimal(0) shouldBe BigDecimal("1.50")
            Records.of(Lists::class.java).toList(array).map { it.prices } shouldBe
                listOf(listOf(BigDecimal("1.50"), null), listOf(BigDecimal(2)))
        }
    }

    test("other text, and numeric in other storage, is not read as decimals [READ-02]") {
        val others = texts.map { Field.of("price", it) } + listOf(
            Field.of("price", DataType.UTF8).withExtension(Opaque("money", "PostgreSQL")),
            Field.json("price"),
            Field.of("price", DataType.UTF8).withMetadata(Metadata.of("ADBC:postgresql:typname", "interval")),
        )
        for (field in others) withClue(field) {
            batch(field, "1.5").use { array ->
                for (read in listOf<(Column) -> Any>({ it.getDecimal(0) }, { it.getDouble(0) }))
                    shouldThrow<IllegalArgumentException> { read(array.column(0)) }.message shouldContain
                        "; getString and getBytes read it"
                shouldThrow<IllegalArgumentException> { Records.of(Priced::class.java).toList(array) }
            }
        }
        BatchBuilder.of(Devices.cpu(), 1).use { builder ->
            builder.column(numeric(DataType.BINARY), listOf(byteArrayOf(49)))
            builder.build()
        }.use { array ->
            shouldThrow<IllegalArgumentException> { array.column(0).getDecimal(0) }.message shouldContain
                "; getBytes reads it"
        }
        batch(numeric(DataType.UTF8), "1").use { array ->
            shouldThrow<IllegalArgumentException> { array.column(0).getLong(0) }.message shouldContain
                "; getDecimal, getDouble, getString and getBytes read it"
            shouldThrow<IllegalArgumentException> { Records.of(Counted::class.java).toList(array) }
                .message shouldContain "BigDecimal"
        }
    }
})
