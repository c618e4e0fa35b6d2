// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark;

import java.util.List;
import java.util.Set;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.internal.columns.ColumnPlan;
import org.arbalest.spark.internal.vector.SparkTypes;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a DataFrame, in tasks on executors. Nothing runs before an action does, but what Spark runs in order
 * to plan: by rows, exchanges of the query, when {@link #columns} is called.
 *
 * <p>Batches come as Spark has them, if it has columns there; else rows are gathered in batches of {@code
 * spark.sql.execution.arrow.maxRecordsPerBatch}. Which of the two it is, the log says, and metrics of the stage, and
 * {@code spark.arbalest.columnar = false} leaves it at rows, which needs nothing of Spark's but its public API.
 */
public final class DataFrames {
  private DataFrames() {}

  /** The schema that the columns of a DataFrame have. */
  public static Schema schema(Dataset<Row> dataframe) {
    return ColumnPlan.of(dataframe).schema();
  }

  /**
   * Does something with the columns of each partition.
   *
   * @return what came of each partition
   */
  public static <T extends @Nullable Object> JavaRDD<T> columns(Dataset<Row> dataframe, ColumnFunction<T> function) {
    return ColumnPlan.of(dataframe).mapPartitions(function);
  }

  /**
   * A DataFrame of other columns: a function from stream to stream for each partition, which is the place of native
   * code, a kernel, or a model.
   *
   * @param schema the result's; each column has a name of its own
   * @param function from the columns to a reader with the columns of this schema, by their names, which the task closes
   */
  public static Dataset<Row> mapColumns(Dataset<Row> dataframe, Schema schema,
      ColumnFunction<DeviceArrayReader> function) {
    List<String> names = schema.fields().stream().map(Field::name).toList();
    if (Set.copyOf(names).size() < names.size())
      throw new IllegalArgumentException(
          "columns of the result have the same name, where each is found by its own: " + names);
    return ColumnPlan.of(dataframe).mapColumns(SparkTypes.of(schema, false), function);
  }
}
