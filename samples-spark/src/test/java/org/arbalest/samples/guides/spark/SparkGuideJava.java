// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.spark;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.*;
import org.arbalest.device.*;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.types.*;
import org.arbalest.spark.*;

public final class SparkGuideJava {
  public static final class Ids implements ColumnSource {
    @Override
    public Schema schema(Map<String, String> options) {
      return Schema.of(Field.of("id", DataType.INT64));
    }

    @Override
    public List<Part> partitions(ScanRequest request) { // has the columns that the query needs
      return List.of(new Part(0, request.schema()), new Part(10_000, request.schema()));
    }
  }

  record Part(long from, Schema schema) implements ColumnPartition { // serialized, and opened on an executor
    @Override
    public RecordBatchReader open(ColumnTask task) {
      try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), 10_000)) {
        for (Field field : schema.fields()) {
          batch.column(field).appendAll(LongStream.range(from, from + 10_000).toArray());
        }
        return RecordBatchReader.of(schema, List.of(batch.build()));
      }
    }
  }

  public static void main(String[] args) throws IOException {
    try (SparkSession spark = SparkSession.builder().master("local[2]").config("spark.ui.enabled", "false")
        .appName("ids").getOrCreate()) {
      Dataset<Row> ids = spark.read().format("arbalest").option("source", Ids.class.getName()).load();
      System.out.println("rows: " + ids.filter("id % 5000 = 0").count());
      JavaRDD<Long> sums = DataFrames.columns(ids, (task, columns) -> sum(columns));
      System.out.println("sums: " + sums.collect());
    }
  }

  static long sum(RecordBatchReader columns) {
    LongAdder sum = new LongAdder();
    columns.forEach(batch -> sum.add(LongStream.of(batch.column("id").toLongArray()).sum()));
    return sum.sum();
  }
}
