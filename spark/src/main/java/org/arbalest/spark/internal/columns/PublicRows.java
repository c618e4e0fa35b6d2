// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.spark.ColumnFunction;
import org.jspecify.annotations.Nullable;

/** Columns made from rows of Spark's public API, which Spark promises to keep. */
final class PublicRows extends ColumnPlan {
  private final String why;

  /** Creates the columns. The log receives the reason. */
  PublicRows(Dataset<Row> dataframe, String why) {
    super(dataframe);
    this.why = why;
  }

  @Override
  public <T extends @Nullable Object> JavaRDD<T> mapPartitions(ColumnFunction<T> function) {
    var ofRows = ofRows(function); // before Spark runs anything for its rows
    return dataframe.toJavaRDD().mapPartitions(ofRows);
  }

  @Override
  public Dataset<Row> mapColumns(StructType result, ColumnFunction<RecordBatchReader> function) {
    boolean isJavaTime =
        Boolean.parseBoolean(dataframe.sparkSession().conf().get("spark.sql.datetime.java8API.enabled", "false"));
    return dataframe.mapPartitions(new ToRows(ofRows(function), result, ResultMetrics.of(dataframe), isJavaTime),
        Encoders.row(result));
  }

  private <T extends @Nullable Object> OfRows<T> ofRows(ColumnFunction<T> function) {
    schema(); // rejects unsupported types
    log("made of rows, by Spark's public API, since " + why);
    return new OfRows<>(dataframe.schema(), mostRows(), ColumnMetrics.of(dataframe), function);
  }

  private record OfRows<T extends @Nullable Object>(StructType type, int mostRows, ColumnMetrics metrics,
      ColumnFunction<T> function)
      implements FlatMapFunction<Iterator<Row>, T> {
    @Override
    public Iterator<T> call(Iterator<Row> rows) throws Exception {
      return TaskColumns.apply(function, ArrowTypes.of(type), memory -> {
        var writer = new ObjectRowWriter(type, memory.manager());
        return () -> {
          checkThread();
          return rows.hasNext() ? metrics.ofRows(() -> writer.next(rows, mostRows)) : null;
        };
      });
    }
  }

  /**
   * Checks that the caller is the task's thread. Spark's operators find their task by the thread, and its public API
   * cannot set the task of another thread.
   */
  private static void checkThread() {
    if (TaskContext.get() == null)
      throw new IllegalStateException(
          "columns made of rows by Spark's public API must be pulled in the task's thread, not in "
              + Thread.currentThread());
  }

  /**
   * A function from rows to rows, with dates and timestamps either as classes of {@code java.time} or of
   * {@code java.sql}: Spark accepts only one of them.
   */
  private record ToRows(OfRows<RecordBatchReader> made, StructType type, ResultMetrics metrics, boolean isJavaTime)
      implements MapPartitionsFunction<Row, Row> {
    @Override
    public Iterator<Row> call(Iterator<Row> rows) throws Exception {
      return new RowObjects(isJavaTime).rows(ResultRows.of(made.call(rows).next(), type, metrics), type);
    }
  }
}
