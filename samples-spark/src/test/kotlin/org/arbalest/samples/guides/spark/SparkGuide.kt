// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.spark

import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.apache.spark.sql.SparkSession
import org.arbalest.coroutines.batch
import org.arbalest.coroutines.float64
import org.arbalest.device.Devices
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.types.DataType
import org.arbalest.spark.kotlin.arbalest
import org.arbalest.spark.kotlin.columns
import org.arbalest.spark.kotlin.mapColumns

internal fun sumsAndHalves(spark: SparkSession): Pair<List<Long>, Dataset<Row>> {
    val ids = spark.read().arbalest<SparkGuideJava.Ids>("from" to 0)
    val sums = ids.columns { _, columns -> SparkGuideJava.sum(columns) }.collect()
    val halves = ids.mapColumns("half" to DataType.FLOAT64) { _, columns -> halved(columns) } // or schemaOf<Half>()
    return sums to halves
}

private fun halved(columns: RecordBatchReader): RecordBatchReader {
    val halves = mutableListOf<Double>()
    columns.forEach { batch -> batch.column("id").toLongArray().mapTo(halves) { it / 2.0 } }
    val batch = Devices.cpu().batch(halves.size) { float64("half", halves.toDoubleArray()) }
    return RecordBatchReader.of(batch.schema(), listOf(batch))
}
