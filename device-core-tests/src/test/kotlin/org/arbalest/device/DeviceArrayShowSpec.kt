// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldBeEmpty
import io.kotest.matchers.ints.shouldBeLessThanOrEqual
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import io.kotest.matchers.string.shouldEndWith
import io.kotest.matchers.string.shouldStartWith
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.NestedType.ListType
import org.arbalest.support.EveryType
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.fake.FakeDevice
import org.arbalest.support.fake.FakeExtension

/** The text forms of schemas and arrays. */
class DeviceArrayShowSpec : FunSpec({
    extension(ResourceCountersExtension)
    extension(FakeExtension)

    val cpu = Devices.cpu()

    fun airports(rows: Int): RecordBatch = BatchBuilder.of(cpu, rows).use { batch ->
        val code = batch.column(Field.of("iata", DataType.UTF8).withNullable(false))
        val lat = batch.column(Field.of("lat", DataType.FLOAT64))
        val tags = batch.column(Field.of("tags", ListType(Field.of("item", DataType.UTF8))))
        repeat(rows) {
            code.append("A$it")
            if (it == 1) lat.appendNull() else lat.append(40.5 + it)
            tags.appendList(2)
            tags.items().append("a\nb")
            tags.items().appendNull()
        }
        batch.build()
    }

    test("toString of a batch prints a table of the first rows, and counts the omitted ones") {
        airports(1234).use {
            it.toString(3) shouldBe """
                3 columns, 1,234 rows, on CPU
                iata |     lat | tags
                utf8 | float64 | list<item: utf8>
                -----+---------+-----------------
                A0   |    40.5 | ["a\nb", null]
                A1   |    null | ["a\nb", null]
                A2   |    42.5 | ["a\nb", null]
                … 1,231 more rows
            """.trimIndent()
        }
    }

    test("toString prints the first ten rows of an array or slice, and a single array as one column") {
        airports(30).use { batch ->
            batch.toString().lines().size shouldBe 4 + 10 + 1
            batch.slice(28, 2).use { it.toString() shouldContain "\nA29 " }
            batch.retainChild(1).use {
                it.toString(1) shouldBe
                    "lat: float64, 30 rows, on CPU\n    lat\nfloat64\n-------\n   40.5\n… 29 more rows"
            }
        }
    }

    test("toString works without rows and without columns") {
        airports(0).use { it.toString().lines().size shouldBe 4 }
        airports(2).use { it.toString(0) shouldEndWith "… 2 more rows" }
        shouldThrow<IllegalArgumentException> { airports(1).use { it.toString(-1) } }
        BatchBuilder.of(cpu, 0).use { it.build() }.use { it.toString() shouldContain "0 columns, 0 rows" }
    }

    test("toString cuts long values between characters, and names the columns that a wide table omits") {
        val text = "🦀".repeat(100)
        BatchBuilder.of(cpu, 1).use { batch ->
            repeat(20) { batch.column(Field.of("column $it", DataType.UTF8)).append(text) }
            batch.build()
        }.use { wide ->
            val lines = wide.toString().lines()
            for (line in lines.drop(1).dropLast(1)) line.codePointCount(0, line.length) shouldBeLessThanOrEqual 160
            lines[4] shouldContain "🦀".repeat(31) + "… | "
            lines.last() shouldStartWith "… 16 more columns: column 4, column 5, "
            lines.last() shouldEndWith "column 18, …"
        }
    }

    test("toString prints a value for every readable type") {
        EveryType.batch(0, 20).use { batch ->
            for (i in EveryType.fields.indices) batch.retainChild(i).use { column ->
                column.toString(20).lines().drop(4).forEach { (it.trim() == "?") shouldBe false }
            }
        }
    }

    test("toString neither waits nor copies, and prints whether the array is not ready or closed") {
        val device = Devices.device(DeviceType.EXT_DEV, 0)
        val fake = FakeDevice.of(DeviceType.EXT_DEV, 0)
        BatchBuilder.of(cpu, 5).int64("id", LongArray(5) { it.toLong() }).build().use { batch ->
            batch.copyTo(device).use { far ->
                far.synchronize()
                fake.hold()
                far.toString() shouldBe "1 column, 5 rows, on EXT_DEV:0"
                device.createStream().use { stream ->
                    far.copyTo(cpu, stream).use { near ->
                        near.toString() shouldBe "1 column, 5 rows, on CPU, not ready"
                        fake.release()
                        near.synchronize()
                        near.toString() shouldBe batch.toString()
                    }
                }
                far.toString(2) shouldBe batch.toString(2).replace("on CPU", "on EXT_DEV:0")
            }
        }
        fake.violations().shouldBeEmpty()
        airports(5).also { it.close() }.toString() shouldBe "3 columns, 5 rows, on CPU (closed)"
    }

    test("toString rejects a negative number of rows") {
        airports(5).use { shouldThrow<IllegalArgumentException> { it.toString(-1) } }
    }

    test("toString of a schema prints a line for each field") {
        airports(0).use { it.schema().toString() shouldBe "iata: utf8 not null\nlat: float64\ntags: list<item: utf8>" }
    }
})
