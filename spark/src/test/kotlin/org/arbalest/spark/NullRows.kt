// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark

import org.arbalest.device.Devices
import org.arbalest.device.RecordBatch
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.builders.BatchBuilder
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.support.withNullRows

/**
 * A source of two batches of 1, 42 and 3, whose own bitmaps make the second row null. With the option `strict`, the
 * column is not nullable.
 */
class NullRows : ColumnSource {
    override fun schema(options: Map<String, String>): Schema = Schema.of(field(options["strict"] == "true"))

    override fun partitions(request: ScanRequest): List<ColumnPartition> {
        val strict = request.options()["strict"] == "true"
        return listOf(ColumnPartition { reader(strict) })
    }

    companion object {
        private fun field(strict: Boolean): Field = Field.of("v", DataType.INT64).withNullable(!strict)

        private fun batch(strict: Boolean): RecordBatch =
            BatchBuilder.of(Devices.cpu(), 3).use { it.column(field(strict), listOf(1L, 42L, 3L)).build() }
                .withNullRows(1)

        fun reader(strict: Boolean): RecordBatchReader = List(2) { batch(strict) }.let {
            RecordBatchReader.of(it[0].schema(), it)
        }
    }
}
