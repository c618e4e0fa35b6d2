// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.columns

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.coroutines.*
import org.arbalest.device.Devices
import org.arbalest.device.Validation
import org.arbalest.device.columns.Column
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.printed
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import java.io.File
import java.time.Instant

/** The code of the guide to columns. */
class ColumnsGuideSpec : FunSpec({
    extension(ResourceCountersExtension)

    val cpu = Devices.cpu()
    val page = File("../docs/guides/columns.md").readText()

    fun trades() = cpu.batch {
        float64("price", listOf(1.5, null, 4.25))
        utf8("symbol", listOf("A", "B", null))
    }

    test("the programs and the nested columns print the text in the comments after their println") {
        val comments = Regex("""println\(.*\);? // (.*)""").findAll(page).map { it.groupValues[1] }.toList()
        comments shouldHaveSize 13
        printed {
            main()
            BuildAndRead.main(arrayOf())
            nested()
        }.trim().lines() shouldBe comments
    }

    test("Kotlin: a column is not nullable, and a predicate sets the nulls of another") {
        orders(longArrayOf(1, 2), doubleArrayOf(1.5, 0.0), booleanArrayOf(true, false)).use { batch ->
            batch.schema()["id"].isNullable shouldBe false
            batch["price"].toList() shouldBe listOf(1.5, null)
        }
    }

    test("Java: columns are appended value by value, and from lists of any type") {
        val times = listOf(Instant.parse("2024-02-29T12:00:00.001Z"), Instant.EPOCH)
        ColumnsGuideJava.columns(longArrayOf(1, 2), times).use { batch ->
            batch.validate(Validation.FULL)
            batch.schema()["id"].isNullable shouldBe false
            batch["id"].toList() shouldBe listOf(1L, 2L)
            batch["at"].instants().toList() shouldBe times
            batch["settled"].zonedDateTimes()[0].toString() shouldBe "2024-02-29T13:00:00.001+01:00[Europe/Zurich]"
            batch["tags"].toList() shouldBe listOf(listOf("a", "b"), null)
        }
        shouldThrow<IllegalArgumentException> {
            ColumnsGuideJava.columns(longArrayOf(1, 2), listOf(Instant.ofEpochSecond(0, 1), Instant.EPOCH))
        }.message shouldContain "which is not a whole millisecond, in row 0; timestamp[ns, tz=Europe/Zurich] does"
    }

    test("rows are read as objects") {
        expensive(listOf(Trade(1.5, "A"), Trade(2.0, null))) shouldBe listOf(Trade(2.0, null))
    }

    test("a loop over the indices of a dictionary counts the rows of each value") {
        cpu.batch { dictionary("city", listOf("Rome", "Oslo", null, "Rome")) }.use { batch ->
            for (count in listOf<(Column) -> LongArray>(::rowsPerValue, ColumnsGuideJava::rowsPerValue))
                count(batch["city"]).toList() shouldBe listOf(2L, 1L)
        }
    }

    test("an array owns the buffer that it was made from") {
        priceColumn(doubleArrayOf(1.5, 2.0)).use { it.asColumn().doubles().sum() shouldBe 3.5 }
    }

    test("the library throws the messages that the page displays") {
        val messages = listOf(
            shouldThrow<IllegalStateException> {
                cpu.batch {
                    int64("a", longArrayOf(1, 2))
                    int32("b", intArrayOf(1, 2, 3))
                }
            },
            shouldThrow<IllegalArgumentException> { cpu.batch { notNull.int64("id", listOf(1L, null)) } },
            shouldThrow<IllegalArgumentException> {
                cpu.batch(rows = 1) { column(Field.of("size", DataType.INT8)).append(300) }
            },
            trades().use { shouldThrow<IllegalArgumentException> { it["price"].longs() } },
        ).map { "${it::class.simpleName}: ${it.message}" }
        messages.filter { it !in page } shouldBe listOf()
        eventually("all resources are released") { Held.now().isZero }
    }
})
