// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark;

import java.util.List;
import java.util.Set;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.internal.columns.ColumnPlan;
import org.arbalest.spark.internal.vector.SparkTypes;
import org.jspecify.annotations.Nullable;

/**
 * Functions on the columns of a DataFrame, which run in tasks on executors.
 *
 * <p>Spark runs nothing before an action, except the stages that it needs for planning. If columns come from rows of
 * Spark's public API, {@link #columns} already runs the query's exchanges.
 *
 * <p>Batches come in one of three ways. The log and the stage's metrics name it:
 *
 * <ul>
 *   <li>From a plan with columns: the batches of Spark, in their size. Batches of a {@link ColumnSource} are shared
 *       without a copy, if their layout is the same.
 *   <li>From a plan with rows: internal rows, gathered into batches. A batch ends at
 *       {@code spark.sql.execution.arrow.maxRecordsPerBatch} rows, or when its rows have at least
 *       {@code spark.sql.execution.arrow.maxBytesPerBatch} bytes.
 *   <li>From rows of Spark's public API: the batch ends at {@code maxRecordsPerBatch} rows, with any number of bytes.
 *       {@code spark.arbalest.columnar = false} selects this way, in a session. Untested versions of Spark always use
 *       it.
 * </ul>
 *
 * <p>The metrics are accumulators of the stage. A retried task counts again, and so does each action:
 *
 * <ul>
 *   <li>Numbers of batches: {@code arbalest: batches shared with the source}, {@code arbalest: batches copied of
 *       columns}, {@code arbalest: batches made of internal rows}, {@code arbalest: batches made of rows}.
 *   <li>Sizes: {@code arbalest: rows}, and {@code arbalest: bytes of columns} in bytes.
 *   <li>Times in microseconds: {@code arbalest: µs waited for columns}, and {@code arbalest: µs copied}. For rows, the
 *       second includes the time of waiting for them.
 *   <li>Results of {@link #mapColumns}: {@code arbalest: batches of results}, {@code arbalest: rows of results},
 *       {@code arbalest: bytes of results} in bytes, and in microseconds {@code arbalest: µs waited for results} and
 *       {@code arbalest: µs results were copied}.
 * </ul>
 *
 * <p>A scan of a {@link ColumnSource} has metrics of its own: {@code batches}, {@code bytes of columns} in bytes, and
 * {@code waited for the source} and {@code waited for copies from its device}, which Spark displays in milliseconds.
 */
public final class DataFrames {
  private DataFrames() {}

  /**
   * Returns the schema of a DataFrame's columns.
   *
   * @throws IllegalArgumentException if a column has a type without an Arrow equivalent, or if a setting
   *     {@code spark.arbalest.…} is unknown or has no effect
   * @throws UnsupportedOperationException if the DataFrame belongs to Spark Connect
   */
  public static Schema schema(Dataset<Row> dataframe) {
    return ColumnPlan.of(dataframe).schema();
  }

  /**
   * Applies a function to the columns of each partition.
   *
   * <p>The tasks close the readers. The application closes the arrays that its function pulls.
   *
   * @param dataframe the query
   * @param function the function, which runs once for each partition
   * @return the results, one for each partition
   * @throws IllegalArgumentException if a column has a type without an Arrow equivalent, or if a setting
   *     {@code spark.arbalest.…} is unknown or has no effect
   * @throws UnsupportedOperationException if the DataFrame belongs to Spark Connect
   */
  public static <T extends @Nullable Object> JavaRDD<T> columns(Dataset<Row> dataframe, ColumnFunction<T> function) {
    return ColumnPlan.of(dataframe).mapPartitions(function);
  }

  /**
   * Creates a DataFrame of new columns, by a function from reader to reader for each partition. The function can call
   * native code, run a kernel, or apply a model.
   *
   * <p>The task closes the reader that the function returns.
   *
   * @param dataframe the query
   * @param schema the schema of the result; all columns have different names
   * @param function the function; its reader has the columns of the schema, found by their names
   * @throws IllegalArgumentException if two columns of the schema have one name, if a type has no equivalent in Spark
   *     or in Arrow, or if a setting {@code spark.arbalest.…} is unknown or has no effect
   * @throws UnsupportedOperationException if the DataFrame belongs to Spark Connect
   */
  public static Dataset<Row> mapColumns(Dataset<Row> dataframe, Schema schema,
      ColumnFunction<RecordBatchReader> function) {
    List<String> names = schema.fields().stream().map(Field::name).toList();
    if (Set.copyOf(names).size() < names.size())
      throw new IllegalArgumentException(
          "columns of the result have the same name, but each needs its own: " + names);
    return ColumnPlan.of(dataframe).mapColumns(SparkTypes.of(schema, false), function);
  }
}
