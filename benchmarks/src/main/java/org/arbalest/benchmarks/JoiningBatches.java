// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures joining 64 batches of 1,000 rows, by {@code concat} and by {@code rebatch} of a reader. Each batch has a
 * column of int64 and one of the given kind.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class JoiningBatches {
  private static final int BATCHES = 64;
  private static final int ROWS = 1_000;

  /** The kind of the second column; dictionaries have 100 words, in the same order or in another one. */
  @Param({"numbers", "text", "views", "dictionary", "dictionaries"}) String kind;

  private final List<RecordBatch> batches = new ArrayList<>();

  @Setup
  public void make() {
    Random random = new Random(11);
    for (int i = 0; i < BATCHES; i++) {
      try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), ROWS)) {
        ColumnBuilder ids = builder.column(Field.of("id", DataType.INT64));
        ColumnBuilder values = builder.column(Field.of("value", type()));
        int first = kind.equals("dictionaries") ? random.nextInt(100) : 0;
        for (int row = 0; row < ROWS; row++) {
          ids.append(random.nextLong());
          if (kind.equals("numbers")) values.append(random.nextLong());
          else if (kind.startsWith("dictionar")) values.append("one of a hundred words " + (row + first) % 100);
          else values.append("the text of a row " + random.nextInt(1_000_000));
        }
        batches.add(builder.build());
      }
    }
  }

  private DataType type() {
    return switch (kind) {
      case "numbers" -> DataType.INT64;
      case "text" -> DataType.UTF8;
      case "views" -> DataType.UTF8_VIEW;
      default -> DataType.dictionary(DataType.INT32, DataType.UTF8);
    };
  }

  @TearDown(Level.Trial)
  public void close() {
    batches.forEach(RecordBatch::close);
  }

  /** Joins all batches at once. */
  @Benchmark
  public void concat() {
    DeviceArray.concat(batches).close();
  }

  /** Joins them as a reader pulls them. */
  @Benchmark
  public void rebatch() {
    List<RecordBatch> own = new ArrayList<>();
    for (RecordBatch batch : batches) own.add(batch.retain());
    try (RecordBatchReader reader = RecordBatchReader.of(own.getFirst().schema(), own).rebatch(BATCHES * ROWS)) {
      RecordBatch joined = reader.next();
      if (joined != null) joined.close();
    }
  }
}
