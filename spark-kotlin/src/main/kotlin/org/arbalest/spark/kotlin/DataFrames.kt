// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.kotlin

import org.apache.spark.api.java.JavaRDD
import org.apache.spark.sql.DataFrameReader
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.arbalest.device.DeviceArrayReader
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.spark.ColumnFunction
import org.arbalest.spark.ColumnSource
import org.arbalest.spark.DataFrames

/**
 * A DataFrame of the columns of a source, made by its class on the driver, with options as the source has them, each as
 * its `toString()`; those of [DataFrameReader.option] as well.
 *
 *     val trades = spark.read().arbalest<Trades>("folder" to folder, "since" to 2001)
 *
 * @param S a public class with a public constructor without parameters, so no `object`
 */
public inline fun <reified S : ColumnSource> DataFrameReader.arbalest(vararg options: Pair<String, Any>): Dataset<Row> =
    load(this, S::class.java, options)

@PublishedApi
internal fun load(
    reader: DataFrameReader,
    source: Class<out ColumnSource>,
    options: Array<out Pair<String, Any>>,
): Dataset<Row> {
    for ((name, value) in options) reader.option(name, "$value")
    return reader.format("arbalest").option("source", source.name).load()
}

/**
 * The schema that the columns of this DataFrame have in [columns] and [mapColumns]; see [DataFrames.schema]. `schema()`
 * is Spark's own.
 */
public fun Dataset<Row>.columnSchema(): Schema = DataFrames.schema(this)

/**
 * Does something with the columns of each partition, and answers what came of each; see [DataFrames.columns]. Nothing
 * runs before an action does. `columns()`, without a function, are Spark's names of them.
 *
 *     val sums = trades.columns { _, columns ->
 *         var sum = 0.0
 *         columns.forEach { batch -> sum += batch.column("price").toDoubleArray().sum() }
 *         sum
 *     }.collect()
 *
 * A lambda that stands here is serialized with what it refers to: values, also of a `var`, of which the executor
 * changes a copy; and `this` of the class that it stands in, if it uses one of its members, which fails when a job
 * starts, unless that is serializable. A function that is not written here, but comes in a variable, cannot be
 * serialized: make it a `ColumnFunction { task, columns -> … }`, or mark its lambda as [JvmSerializableLambda].
 */
public fun <T> Dataset<Row>.columns(function: ColumnFunction<T>): JavaRDD<T> = DataFrames.columns(this, function)

/**
 * A DataFrame of other columns: a function from stream to stream for each partition; see [DataFrames.mapColumns], and
 * [columns] for what a function may refer to.
 *
 * @param schema the result's
 * @param function from the columns to a reader with the columns of this schema, by their names, which the task closes
 */
public fun Dataset<Row>.mapColumns(schema: Schema, function: ColumnFunction<DeviceArrayReader>): Dataset<Row> =
    DataFrames.mapColumns(this, schema, function)

/**
 * A DataFrame of other columns, by their names and types, each of which may have nulls; see the other.
 *
 *     val scored = trades.mapColumns("id" to DataType.INT64, "score" to DataType.FLOAT64) { task, columns ->
 *         Model.of(task.device()).score(columns)
 *     }
 *
 * @param first a DataFrame has one column at least
 */
public fun Dataset<Row>.mapColumns(
    first: Pair<String, DataType>,
    vararg others: Pair<String, DataType>,
    function: ColumnFunction<DeviceArrayReader>,
): Dataset<Row> =
    mapColumns(Schema.of(listOf(first, *others).map { (name, type) -> Field.of(name, type) }), function)
