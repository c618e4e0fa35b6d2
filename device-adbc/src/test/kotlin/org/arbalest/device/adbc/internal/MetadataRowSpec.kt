// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal

import io.kotest.assertions.throwables.shouldThrow
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.DeviceException
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.adbc.IDS
import org.arbalest.device.adbc.ids
import org.arbalest.support.ResourceCountersExtension
import org.arbalest.support.withNullRows

class MetadataRowSpec : FunSpec({
    extension(ResourceCountersExtension)

    test("a null row of a batch gives no metadata row [REQ-21]") {
        val batch = ids(1, 42, 3).withNullRows(1)
        RecordBatchReader.of(batch.schema(), listOf(batch)).use { reader ->
            MetadataRow.all(reader, "a result").map { it.number("id") } shouldBe listOf(1, 3)
        }
    }

    test("a number beyond the int range is null, and throws with its value if it is required [ADB-16]") {
        val numbers = listOf(4_294_967_295L, Int.MAX_VALUE + 1L, Int.MIN_VALUE - 1L, Int.MAX_VALUE.toLong(),
            Int.MIN_VALUE.toLong(), 7L)
        val rows = RecordBatchReader.of(IDS, listOf(ids(*numbers.toLongArray()))).use {
            MetadataRow.all(it, "AdbcConnectionGetObjects")
        }
        rows.map { it.number("id") } shouldBe listOf(null, null, null, Int.MAX_VALUE, Int.MIN_VALUE, 7)
        shouldThrow<DeviceException> { rows.first().numberThatIsThere("id") }.message shouldContain
            "AdbcConnectionGetObjects has a row whose id is 4294967295"
        rows.last().numberThatIsThere("id") shouldBe 7
    }
})
