// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.spark;

import java.util.stream.LongStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.ColumnTask;
import org.arbalest.spark.DataFrames;

/** The snippets of docs/guides/spark.md. */
final class FunctionsJava {
  static final Schema HALVES = Schema.of(Field.of("half", DataType.FLOAT64));

  private FunctionsJava() {}

  static Dataset<Row> flights(SparkSession spark) {
    Dataset<Row> flights = spark.read().format("arbalest").option("source", "org.arbalest.spark.AdbcSource")
        .option("driver", "/usr/lib/libduckdb.so").option("entrypoint", "duckdb_adbc_init")
        .option("database.path", "/data/flights.duckdb").option("database.access_mode", "READ_ONLY")
        .option("query", "SELECT * FROM flights WHERE year = 2001") // or "table"
        .option("partitionColumn", "id").option("lowerBound", 0).option("upperBound", 400_000)
        .option("numPartitions", 8).load();
    return flights;
  }

  static Dataset<Row> halves(Dataset<Row> ids) {
    Dataset<Row> halves = DataFrames.mapColumns(ids, HALVES, (task, columns) -> RecordBatchReader.of(HALVES, () -> {
      try (RecordBatch batch = columns.next()) {
        return batch == null ? null : half(batch); // a batch of the schema HALVES
      }
    }));
    return halves;
  }

  private static RecordBatch half(RecordBatch batch) {
    double[] values = LongStream.of(batch.column("id").toLongArray()).mapToDouble(id -> id / 2.0).toArray();
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), values.length)) {
      return builder.float64("half", values).build();
    }
  }

  static RecordBatchReader scores(ColumnTask task, RecordBatchReader columns, Schema schema) {
    RecordBatchReader there = task.onDevice(columns); // waits for a place before the first pull
    return RecordBatchReader.of(schema, task.device().type(), () -> {
      try (RecordBatch batch = there.next()) {
        if (batch == null) return null;
        task.stream().waitFor(batch);
        RecordBatch scores = launch(task.stream(), batch);
        task.stream().keepAlive(batch); // the memory stays until the kernel has ended
        return scores;
      }
    });
  }

  /** Stands for the application's kernel: this one returns its input. */
  private static RecordBatch launch(DeviceStream stream, RecordBatch batch) {
    return batch.retain();
  }
}
