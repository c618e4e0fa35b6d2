// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.kotlin

import org.apache.spark.api.java.JavaRDD
import org.apache.spark.sql.DataFrameReader
import org.apache.spark.sql.Dataset
import org.apache.spark.sql.Row
import org.arbalest.device.RecordBatchReader
import org.arbalest.device.types.DataType
import org.arbalest.device.types.Field
import org.arbalest.device.types.Schema
import org.arbalest.spark.ColumnFunction
import org.arbalest.spark.ColumnSource
import org.arbalest.spark.DataFrames

/**
 * Returns a DataFrame of the columns of a source. The driver creates the source from its class, with the options that
 * the source defines. Each option is passed as its `toString()`. Options of [DataFrameReader.option] apply too.
 *
 *     val trades = spark.read().arbalest<Trades>("folder" to folder, "since" to 2001)
 *
 * @param S a public class with a public constructor without parameters; not an `object`
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
 * Returns the schema of this DataFrame's columns in [columns] and [mapColumns]; see [DataFrames.schema]. `schema()` is
 * Spark's own schema.
 */
public fun Dataset<Row>.columnSchema(): Schema = DataFrames.schema(this)

/**
 * Runs [function] with the columns of each partition, and returns an RDD of the results; see [DataFrames.columns].
 * Nothing runs before a Spark action. `columns()` without a function is Spark's method that returns the column names.
 *
 *     val sums = trades.columns { _, columns ->
 *         var sum = 0.0
 *         columns.forEach { batch -> sum += batch.column("price").toDoubleArray().sum() }
 *         sum
 *     }.collect()
 *
 * **Serialization.** A lambda in this call is serialized with the values that it captures. The executor changes only a
 * copy of a captured `var`. A lambda that uses a member of its class captures `this`; if that is not serializable, the
 * job fails at its start. A function from a variable cannot be serialized: write it as
 * `ColumnFunction { task, columns -> … }`, or annotate its lambda with [JvmSerializableLambda].
 */
public fun <T> Dataset<Row>.columns(function: ColumnFunction<T>): JavaRDD<T> = DataFrames.columns(this, function)

/**
 * Returns a DataFrame of other columns: [function] maps the stream of each partition to another stream. See
 * [DataFrames.mapColumns], and [columns] for the values that a function may capture.
 *
 * @param schema the schema of the result
 * @param function returns a reader that has the columns of [schema], by name; the task closes the reader
 */
public fun Dataset<Row>.mapColumns(schema: Schema, function: ColumnFunction<RecordBatchReader>): Dataset<Row> =
    DataFrames.mapColumns(this, schema, function)

/**
 * Returns a DataFrame of other columns, given by their names and types; each column is nullable. See the overload for
 * [Schema].
 *
 *     val scored = trades.mapColumns("id" to DataType.INT64, "score" to DataType.FLOAT64) { task, columns ->
 *         Model.of(task.device()).score(columns)
 *     }
 *
 * @param first the first column; a DataFrame has at least one
 * @param others the other columns
 * @param function returns a reader that has these columns, by name; the task closes the reader
 */
public fun Dataset<Row>.mapColumns(
    first: Pair<String, DataType>,
    vararg others: Pair<String, DataType>,
    function: ColumnFunction<RecordBatchReader>,
): Dataset<Row> =
    mapColumns(Schema.of(listOf(first, *others).map { (name, type) -> Field.of(name, type) }), function)
