// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.changing

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldHaveSize
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.coroutines.*
import org.arbalest.device.DeviceException
import org.arbalest.device.DeviceType
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.columns.Selection
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.printed
import org.arbalest.testkit.contract.Held
import org.arbalest.testkit.contract.eventually
import java.io.File

/** The code of the guide to changing batches. */
class ChangingGuideSpec : FunSpec({
    extension(ResourceCountersExtension)

    val page = File("../docs/guides/changing.md").readText()

    fun trades(vararg prices: Double?): RecordBatch = Devices.cpu().batch(prices.size) {
        float64("price") { prices[it] }
        int64("size") { it + 1L }
        utf8("symbol") { "s$it" }
    }

    test("the programs print the text in the comments after their println") {
        val comments = Regex("""println\(.*\);?(?: })? // (.*)""").findAll(page).map { it.groupValues[1] }.toList()
        comments shouldHaveSize 6
        printed {
            main()
            ChangeBatch.main(arrayOf())
        }.trim().lines() shouldBe comments
    }

    test("a computed column is added, and is null where a price is null") {
        trades(1.5, null, 4.0).use { withTotal(it) }.use { batch ->
            batch.schema().names shouldBe listOf("price", "size", "symbol", "total")
            batch["total"].toList() shouldBe listOf(1.5, null, 12.0)
        }
    }

    test("rows are ordered by the price") {
        trades(4.0, null, 1.5).use { byPrice(it) }.use { it["price"].toList() shouldBe listOf(1.5, 4.0, null) }
    }

    test("a stream has the expensive trades of all batches, in one batch") {
        fun stream() = listOf(trades(1.0, 2.0), trades(0.5), trades(null, 3.0)).let { batches ->
            RecordBatchReader.of(batches.first().schema(), batches)
        }
        val java = mutableListOf<List<Any?>>()
        ChangingGuideJava.expensive(stream(), 1.5).use { reader -> reader.forEach { java.add(it["price"].toList()) } }
        val kotlin = mutableListOf<List<Any?>>()
        expensive(stream(), 1.5).collect { batch ->
            batch.schema().names shouldBe listOf("symbol", "price")
            kotlin.add(batch["price"].toList())
        }
        java shouldBe listOf(listOf(2.0, 3.0))
        kotlin shouldBe java
    }

    test("an array on a device is filtered on the CPU, and the error says so") {
        val there = trades(1.0, 2.0, 1.0, 3.0).use { it.copyTo(Devices.device(DeviceType.EXT_DEV, 0)) }
        there.use { batch ->
            batch.synchronize()
            val message = shouldThrow<DeviceException> { batch.filter(Selection.where(4) { it % 2 == 1L }) }.message!!
            page.replace('\n', ' ') shouldContain message.substringAfter(": ").replace("EXT_DEV:0", "CUDA:0")
            filteredHere(batch, 1.5).use { it["price"].toList() shouldBe listOf(2.0, 3.0) }
        }
        eventually("all resources are released") { Held.now().isZero }
    }
})
