// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source

import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.arbalest.spark.internal.adbc.AdbcParts
import scala.jdk.javaapi.CollectionConverters

/**
 * Returns the queries that the partitions of a DataFrame send to the database. The DataFrame has one ADBC source. The
 * list is empty if Spark has found that the result has no rows.
 */
internal fun queriesOf(rows: Dataset<Row>): List<String> {
    val leaf = CollectionConverters.asJava(rows.queryExecution().optimizedPlan().collectLeaves()).single()
    val scan = (leaf as? DataSourceV2ScanRelation ?: return listOf()).scan()
    return scan.toBatch().planInputPartitions().map { ((it as SourcePartition).partition() as AdbcParts.Query).sql() }
}
