// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.IntStream;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.DuckDbDriver;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.columns.Selection;

/** A short version of {@code LateFlights.kt} in plain Java: keeps, orders and extends rows of DuckDB's columns. */
final class LateFlightsJava {
  private static final long VERY_LATE = 120;
  private static final int LATEST = 10;

  private LateFlightsJava() {}

  /** Prints the ten latest flights of a Parquet file. */
  static void run(Path file) {
    String select = "SELECT origin, delay::BIGINT AS delay, distance::BIGINT AS distance FROM read_parquet('"
        + file.toString().replace("'", "''") + "')";
    String notNull = " WHERE origin IS NOT NULL AND delay IS NOT NULL AND distance IS NOT NULL";
    try (var database = DuckDbDriver.open();
        var duckdb = database.connect();
        RecordBatchReader late = duckdb.query(select + notNull)
            .select("origin", "delay")
            .filter(batch -> Selection.where(batch.column("delay").asLongs(), delay -> delay >= VERY_LATE))
            .rebatch(Integer.MAX_VALUE); // one batch
        RecordBatch batch = late.next()) {
      if (batch == null) {
        System.out.println("no flight is " + VERY_LATE + " minutes late");
        return;
      }
      try (RecordBatch latest = batch.take(latest(batch));
          DeviceArray hours = hours(latest);
          RecordBatch renamed = latest.rename("delay", "minutes");
          RecordBatch complete = renamed.withColumn("hours", hours)) {
        System.out.println(complete.toString(LATEST));
      }
    }
  }

  /** Returns the rows with the longest delays, the longest first. */
  private static int[] latest(RecordBatch batch) {
    long[] delays = batch.column("delay").toLongArray();
    return IntStream.range(0, delays.length).boxed().sorted(Comparator.comparingLong(row -> -delays[row]))
        .limit(LATEST).mapToInt(Integer::intValue).toArray();
  }

  private static DeviceArray hours(RecordBatch batch) {
    long[] delays = batch.column("delay").toLongArray();
    double[] hours = new double[delays.length];
    for (int row = 0; row < hours.length; row++) hours[row] = delays[row] / 60.0;
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), hours.length);
        RecordBatch built = builder.float64("hours", hours).build()) {
      return built.retainChild(0);
    }
  }
}
