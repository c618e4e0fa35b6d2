// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.columns;

import java.util.Iterator;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.Schema;
import org.arbalest.spark.ColumnFunction;

/** Columns made of rows, with what Spark promises to keep: its public API. */
final class PublicRows extends ColumnPlan {
  private static final int MOST_ROWS = 10_000;

  private final Dataset<Row> dataframe;

  PublicRows(Dataset<Row> dataframe) {
    this.dataframe = dataframe;
  }

  @Override
  public Schema schema() {
    return ArrowTypes.of(dataframe.schema());
  }

  @Override
  public <T> JavaRDD<T> mapPartitions(ColumnFunction<T> function) {
    schema(); // refuses what it cannot have
    return dataframe.toJavaRDD().mapPartitions(new OfRows<>(dataframe.schema(), function));
  }

  @Override
  public Dataset<Row> mapColumns(StructType result, ColumnFunction<DeviceArrayReader> function) {
    schema();
    var ofRows = new OfRows<>(dataframe.schema(), function);
    boolean isJavaTime = Boolean.parseBoolean(dataframe.sparkSession().conf().get("spark.sql.datetime.java8API.enabled", "false"));
    return dataframe.mapPartitions(new ToRows(ofRows, result, isJavaTime), Encoders.row(result));
  }

  private record OfRows<T>(StructType type, ColumnFunction<T> function) implements FlatMapFunction<Iterator<Row>, T> {
    @Override
    public Iterator<T> call(Iterator<Row> rows) throws Exception {
      Schema schema = ArrowTypes.of(type);
      return TaskColumns.apply(function, schema, () -> rows.hasNext() ? RowObjects.batch(schema, type, rows, MOST_ROWS) : null);
    }
  }

  /** With dates and timestamps as classes of {@code java.time}, or of {@code java.sql}: Spark takes one of them only. */
  private record ToRows(OfRows<DeviceArrayReader> made, StructType type, boolean isJavaTime) implements MapPartitionsFunction<Row, Row> {
    @Override
    public Iterator<Row> call(Iterator<Row> rows) throws Exception {
      return new RowObjects(isJavaTime).rows(ResultRows.of(made.call(rows).next(), type), type);
    }
  }
}
