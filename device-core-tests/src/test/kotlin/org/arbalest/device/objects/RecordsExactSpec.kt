// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.objects

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.types.ArrowTimeUnit
import org.arbalest.device.types.DataType
import org.arbalest.support.ResourceCountersExtension
import java.math.BigDecimal
import java.time.ZoneId
import java.time.ZoneOffset
import java.time.ZonedDateTime
import java.util.Optional

@JvmRecord
internal data class Sale(val price: BigDecimal?, val at: ZonedDateTime?)

@JvmRecord
internal data class Sales(
    val prices: List<BigDecimal?>?,
    val times: Map<String, ZonedDateTime?>?,
    val one: Sale?,
    val maybe: Optional<BigDecimal>,
)

/** The default types of columns whose values have a scale or a zone. */
class RecordsExactSpec : FunSpec({
    extension(ResourceCountersExtension)

    val memory = Devices.cpu().memory()
    val sale = Records.of(Sale::class.java)
    val noon = ZonedDateTime.of(2024, 2, 29, 12, 0, 0, 0, ZoneId.of("Europe/Zurich"))

    test("decimals keep their scale, and times their zone, at every level [OBJ-01]") {
        val rows = listOf(
            Sales(listOf(BigDecimal("1.25"), null), mapOf("a" to noon, "b" to null), Sale(BigDecimal("7"), noon),
                Optional.of(BigDecimal("-0.125"))),
            Sales(null, null, null, Optional.empty()),
            Sales(listOf(), mapOf(), Sale(null, null), Optional.empty()),
        )
        val sales = Records.of(Sales::class.java)
        sales.build(memory, rows).use { batch ->
            sales.toList(batch) shouldBe rows
            batch.schema().toString() shouldBe """
                prices: list<item: decimal128(38, 2)>
                times: map<entries: struct<key: utf8 not null, value: timestamp[ns, tz=Europe/Zurich]> not null>
                one: struct<price: decimal128(38, 0), at: timestamp[ns, tz=Europe/Zurich]>
                maybe: decimal128(38, 3)
            """.trimIndent()
        }
    }

    test("a column of decimals has the largest scale of its rows, at least 0 [OBJ-01]") {
        val prices = listOf("3.5", "1E+3", "-0.01").map(::BigDecimal)
        sale.build(memory, prices.map { Sale(it, null) }).use { batch ->
            batch.field().type().children()[0].type() shouldBe DataType.decimal128(38, 2)
            sale.toList(batch).map { it.price } shouldBe prices.map { it.setScale(2) }
        }
        sale.build(memory, listOf(Sale(BigDecimal("1E+3"), null))).use { batch ->
            batch.field().type().children()[0].type() shouldBe DataType.decimal128(38, 0)
        }
        shouldThrow<IllegalArgumentException> {
            sale.build(memory, listOf("1E-30", "123456789").map { Sale(BigDecimal(it), null) })
        }.message shouldBe "column \"price\": its values have up to 9 digits before the point and 30 behind it, and " +
            "the default type has 38 digits; build it with a schema"
    }

    test("zeros at the end of decimals do not make them too long [OBJ-01]") {
        for ((texts, scale) in mapOf(
            listOf("0E-30", "123456789") to 29,
            listOf("0E-40") to 38,
            listOf("1.${"0".repeat(39)}", "0.5") to 37,
            listOf("1E+37") to 0,
        )) {
            val prices = texts.map(::BigDecimal)
            sale.build(memory, prices.map { Sale(it, null) }).use { batch ->
                batch.field().type().children()[0].type() shouldBe DataType.decimal128(38, scale)
                sale.toList(batch).zip(prices).all { (read, price) -> read.price!!.compareTo(price) == 0 } shouldBe true
            }
        }
    }

    test("the offset 0 has a name that Arrow knows [OBJ-01]") {
        val rows = listOf(Sale(null, noon.withZoneSameInstant(ZoneOffset.UTC)))
        sale.build(memory, rows).use { batch ->
            batch.field().type().children()[1].type() shouldBe DataType.timestamp(ArrowTimeUnit.NANOSECOND, "+00:00")
            sale.toList(batch) shouldBe rows
        }
    }

    test("without values the types are those of the schema") {
        for (rows in listOf(listOf(), listOf(Sale(null, null))))
            sale.build(memory, rows).use { it.schema() shouldBe sale.schema() }
    }

    test("times in several zones are refused, and stored with a schema [OBJ-07]") {
        val rows = listOf(Sale(null, noon), Sale(null, noon.withZoneSameInstant(ZoneId.of("UTC"))))
        shouldThrow<IllegalArgumentException> { sale.build(memory, rows) }.message shouldContain
            "column \"at\": 2024-02-29T12:00+01:00[Europe/Zurich] and 2024-02-29T11:00Z[UTC] are in different zones"
        sale.build(memory, sale.schema(), rows).use { batch ->
            sale.toList(batch).map { it.at } shouldBe List(2) { rows[1].at }
        }
    }
})
