// SPDX-License-Identifier: Apache-2.0
package org.arbalest.interop.arrowcpp

import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.collections.shouldContainExactly
import io.kotest.matchers.shouldBe
import io.kotest.matchers.string.shouldContain
import org.arbalest.device.Devices
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.statistics.Statistics
import org.arbalest.device.types.DataType
import org.arbalest.interop.Had
import org.arbalest.support.ResourceCountersExtension
import java.util.OptionalLong

/** Tests arrays of the statistics schema: Arrow C++ makes them, and accepts ours as valid. */
class ArrowCppStatisticsSpec : FunSpec({
    extension(Had.needed { ArrowCpp.shimMissing })
    extension(ResourceCountersExtension)

    test("statistics that Arrow C++ makes are read [STAT-01]") {
        val batch = BatchBuilder.of(Devices.cpu(), 3).use { it.int64("n", longArrayOf(1, 2, 3)).build() }
        CppArray.of(batch).use { array ->
            array.statistics().use { made ->
                made.export().use { ours ->
                    val read = Statistics.of(ours.asRecordBatch())
                    read.whole().rowCount() shouldBe OptionalLong.of(3)
                    read.whole().keys() shouldContainExactly setOf("ARROW:row_count:exact")
                    CppArray.of(Statistics.builder().rowCount(3).build().toArray()).use {
                        it.value(0) shouldBe made.value(0)
                    }
                }
            }
        }
    }

    test("Arrow C++ validates our statistics and returns them [STAT-02]") {
        val statistics = Statistics.builder().rowCount(5).column(0).nullCount(0).min(1, DataType.INT32)
            .max(5, DataType.INT32)
            .column(3).approximateDistinctCount(2.5).min("a").put("ARBALEST:digest", byteArrayOf(1, 2)).build()
        CppArray.of(statistics.toArray()).use { array ->
            array.validate()
            array.value(1) shouldContain "ARROW:null_count:exact"
            array.export().use { Statistics.of(it.asRecordBatch()) shouldBe statistics }
            array.slice(1, 2).use { slice ->
                slice.export().use { Statistics.of(it.asRecordBatch()).columns() shouldContainExactly setOf(0, 3) }
            }
        }
    }
})
