// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.convert

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.longs.shouldBeLessThan
import io.kotest.matchers.shouldBe
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.Validation
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.internal.lifetime.Leaks
import org.arbalest.device.monitoring.ResourceCounters
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.withNullRows
import java.time.Duration
import kotlin.concurrent.thread

/** Batches that were made from each other many times. */
class ArrayColumnsChainSpec : FunSpec({
    extension(ResourceCountersExtension)

    val place = Field.of("place", DataType.struct(Field.of("x", DataType.INT64), Field.of("y", DataType.INT64)))

    fun batch(): RecordBatch = BatchBuilder.of(Devices.cpu(), 4).use { batch ->
        batch.int64("id", LongArray(4) { it.toLong() }).utf8("name", List(4) { "n$it" })
        val struct = batch.column(place)
        repeat(4) {
            struct.child("x").append(10L * it)
            struct.child("y").append(100L * it)
            struct.appendStruct()
        }
        batch.build()
    }

    /** Returns the result of many steps, each of which closes the previous batch. */
    fun chained(first: RecordBatch, times: Int = 20_000, step: (RecordBatch) -> RecordBatch): RecordBatch {
        var last = first
        repeat(times) { last = last.use(step) }
        return last
    }

    fun arrays() = ResourceCounters.now().arrays()

    test("a batch that was selected many times is released, and keeps only its source meanwhile [SEL-28]") {
        val before = arrays()
        chained(batch()) { it.select(1, 0, 2).use { less -> less.select("place", "id", "name") } }.use {
            it.column("id").getLong(3) shouldBe 3
            arrays() - before shouldBeLessThan 3
        }
    }

    test("a batch with parts of structs that was selected many times is released [SEL-28]") {
        chained(batch()) { it.select("place.y", "place.x", "id") }.use {
            it.column("place").column("x").getLong(3) shouldBe 30
        }
    }

    test("a batch whose columns were replaced many times keeps only the arrays of its columns [SEL-28]") {
        val before = arrays()
        batch().use { it.retainChild(0) }.use { column ->
            chained(batch(), 2_000) { it.withColumn("other", column) }.use {
                it.column("other").getLong(2) shouldBe 2
                arrays() - before shouldBeLessThan 5
            }
            chained(batch(), 2_000) { all ->
                all.withColumn("place", column).use { it.select("id", "name", "place") }
            }.use {
                it.column("place").getLong(2) shouldBe 2
                arrays() - before shouldBeLessThan 6
            }
            chained(batch().withNullRows(2), 2_000) { all ->
                all.select(0, 1).use { it.withColumn("other", column) }
            }.use {
                it.asColumn().isNull(2) shouldBe true
                arrays() - before shouldBeLessThan 6
            }
        }
    }

    test("a sliced batch that columns joined many times is released [SEL-28]") {
        batch().use { it.slice(1, 3).use { rows -> rows.retainChild(0) } }.use { column ->
            chained(batch().use { it.slice(1, 3) }) { it.withColumn("other", column) }.use {
                it.column("other").toList() shouldBe listOf(1L, 2L, 3L)
                it.column("name").toList() shouldBe listOf("n1", "n2", "n3")
            }
        }
    }

    test("a batch that was converted many times is released [SEL-28]") {
        chained(batch()) { it.compact() }.use { it.column("id").getLong(3) shouldBe 3 }
    }

    fun soon(block: () -> Unit) = thread(isDaemon = true, block = block).join(Duration.ofSeconds(20)) shouldBe true

    test("a batch that was joined many times with its own columns is validated soon [SEL-28]") {
        chained(batch(), 60) { all ->
            all.select("place.x", "id").use { it.retainChild(0) }.use { all.withColumn("place", it) }
        }.use { soon { it.validate(Validation.FULL) } }
        chained(batch(), 60) { all -> all.compact().use { it.retainChild(0) }.use { all.withColumn("id", it) } }.use {
            soon { it.validate(Validation.FULL) }
        }
    }

    test("the bytes of a batch that was joined many times with its own columns are known soon [SEL-28]") {
        val number = Leaks.follow()
        try {
            soon {
                chained(batch(), 60) { all ->
                    all.select("place.x", "id").use { it.retainChild(0) }.use { all.withColumn("place", it) }
                }.close()
            }
            Leaks.open(number) shouldBe listOf()
        } finally {
            Leaks.unfollow()
        }
    }
})
