// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.spark;

import java.io.IOException;
import java.util.Map;
import org.apache.spark.sql.*;
import org.arbalest.device.adbc.DuckDbDriver;

public final class SparkWritesJava {
  public static void main(String[] args) throws IOException {
    var database = Map.of("source", "org.arbalest.spark.AdbcSource", "driver", DuckDbDriver.library().toString(),
        "entrypoint", DuckDbDriver.ENTRY_POINT, "database.path", args[0], "table", "squares");
    try (SparkSession spark = SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false")
        .appName("squares").getOrCreate()) {
      Dataset<Row> squares = spark.range(1000).selectExpr("id", "id * id AS square");
      squares.write().format("arbalest").options(database).mode("append").save(); // creates the table
      squares.filter("id < 10").write().format("arbalest").options(database).mode("overwrite").save();
      System.out.println("rows: " + spark.read().format("arbalest").options(database).load().count());
    }
  }
}
