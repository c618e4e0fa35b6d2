// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Validation
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import java.io.File
import java.time.Instant
import java.time.LocalDate

class NestedJavaSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun lines(text: String) = text.lines().joinToString("\n") { it.trim() }.trim()

    test("the Java of docs/types.md is the code of ColumnsJava.java and NestedJava.java") {
        val blocks = Regex("```java\n(.*?)```", RegexOption.DOT_MATCHES_ALL)
            .findAll(File("../docs/types.md").readText()).map { lines(it.groupValues[1]) }.toList()
        blocks shouldHaveSize 3
        for ((block, name) in blocks zip listOf("ColumnsJava", "ColumnsJava", "NestedJava")) {
            lines(File("src/main/java/org/arbalest/samples/$name.java").readText()) shouldContain block
        }
    }

    test("columns of lists and arrays are read as they came") {
        val times = listOf(Instant.parse("2024-02-29T12:00:00.001Z"), Instant.EPOCH)
        ColumnsJava.columns(times, listOf(LocalDate.of(2024, 2, 29), LocalDate.EPOCH)).use { batch ->
            batch.validate(Validation.FULL)
            ColumnsJava.read(batch, 0) shouldBe "2024-02-29 2024-02-29T13:00:00.001+01:00[Europe/Zurich] 100"
            ColumnsJava.read(batch, 1) shouldBe "1970-01-01 1970-01-01T01:00+01:00[Europe/Zurich] any"
            batch.column("at").getInstant(0) shouldBe times[0]
            batch.column("tags").toList() shouldBe listOf(listOf("a", "b"), null)
        }
        shouldThrow<IllegalArgumentException> {
            ColumnsJava.columns(listOf(Instant.ofEpochSecond(0, 1), Instant.EPOCH),
                listOf(LocalDate.EPOCH, LocalDate.EPOCH))
        }.message shouldContain
            "which is no whole millisecond, in row 0; timestamp[ns, tz=Europe/Zurich] does"
        eventually("nothing is left") { Held.now().isZero }
    }

    test("lists, structs, maps and unions are what they say") {
        NestedJava.nested().use { batch ->
            batch.validate(Validation.FULL)
            fun values(name: String) = batch.column(name).let { column -> (0L until 3).map { column.get(it) } }
            values("tags") shouldBe listOf(listOf("a", "b"), null, emptyList<Any>())
            values("order") shouldBe listOf(mapOf("day" to LocalDate.of(2024, 2, 29).toEpochDay(), "qty" to 7L), null,
                mapOf("day" to LocalDate.of(2024, 3, 1).toEpochDay(), "qty" to null))
            batch.column("prices").run { listOf(getMap(0), getMap(1)) } shouldBe
                listOf(mapOf("EUR" to 1.5, "USD" to 2.5), emptyMap())
            batch.column("prices").isNull(2) shouldBe true
            values("reading") shouldBe listOf(42L, "n/a", null)
        }
        eventually("nothing is left") { Held.now().isZero }
    }
})
