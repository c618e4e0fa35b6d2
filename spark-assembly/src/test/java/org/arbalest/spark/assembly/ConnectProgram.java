// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.assembly;

import java.io.IOException;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.DataFrames;

/** A client of Spark Connect, which prints its results. Its argument is the address of the server. */
public final class ConnectProgram {
  private ConnectProgram() {}

  public static void main(String[] arguments) throws IOException {
    SparkSession spark = SparkSession.builder().remote(arguments[0]).getOrCreate();
    Dataset<Row> ids = spark.read().format("arbalest").option("source", Ids.class.getName()).load();
    System.out.println("rows: " + ids.filter("id % 1000 = 1").count());
    failed("columns", () -> DataFrames.columns(ids, (_, columns) -> columns.schema()));
    failed("mapColumns",
        () -> DataFrames.mapColumns(ids, Schema.of(List.of(Field.of("id", DataType.INT64))), (_, columns) -> columns));
    failed("schema", () -> DataFrames.schema(ids));
    spark.close();
  }

  private static void failed(String what, Runnable call) {
    try {
      call.run();
      System.out.println(what + ": returned");
    } catch (UnsupportedOperationException e) {
      System.out.println(what + ": " + e.getMessage());
    }
  }
}
