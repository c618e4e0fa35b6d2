// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Validation
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import java.io.File
import java.time.LocalDate

class NestedJavaSpec : FunSpec({
    extension(ResourceCountersExtension)

    fun lines(text: String) = text.lines().joinToString("\n") { it.trim() }.trim()

    test("the Java of docs/types.md is the code of NestedJava.java") {
        val block = Regex("```java\n(.*?)```", RegexOption.DOT_MATCHES_ALL)
            .findAll(File("../docs/types.md").readText()).map { lines(it.groupValues[1]) }.single()
        lines(File("src/main/java/org/arbalest/samples/NestedJava.java").readText()) shouldContain block
    }

    test("lists, structs, maps and unions have the values in the comments") {
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
        eventually("all resources are released") { Held.now().isZero }
    }
})
