// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures building a column row by row, per row, with the column's part of the finished batch. With nulls, every tenth
 * row is null, at random.
 *
 * <p>Before the measurement, the same code appends to columns of many types, so that the JIT cannot assume one class of
 * builders. Both libraries know the number of rows and still check the capacity at each row; arrow-java does so in
 * {@code setSafe}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class AppendRows {
  private static final int ROWS = 100_000;
  private static final int WORDS = 64;

  /** The values that are appended. */
  @State(Scope.Thread)
  public static class Values {
    final long[] numbers = new Random(1).longs(ROWS).toArray();
    final boolean[] nulls = new boolean[ROWS];
    final String[] words = new String[WORDS];

    /** Makes the values, and appends to columns of other types. */
    @Setup
    public void make() {
      Random random = new Random(2);
      for (int i = 0; i < ROWS; i++) nulls[i] = random.nextInt(10) == 0;
      for (int i = 0; i < WORDS; i++) words[i] = "a word, number " + random.nextInt();
      long[] small = new long[1000];
      for (int round = 0; round < 50; round++) {
        for (DataType type : new DataType[] {
            DataType.INT32, DataType.UINT8, DataType.INT64, DataType.FLOAT64, DataType.FLOAT16,
            DataType.decimal128(20, 2), DataType.DATE32,
            DataType.INTERVAL_YEAR_MONTH, DataType.dictionary(DataType.INT16, DataType.INT64),
            DataType.runEndEncoded(DataType.INT32, Field.of("", DataType.INT64))
        }) {
          try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), small.length)) {
            append(batch.column(Field.of("a", type)), small, null);
            batch.build().close();
          }
          try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), small.length)) {
            append(batch.column(Field.of("a", type)), small, nulls);
            batch.build().close();
          }
        }
        for (DataType type : new DataType[] {DataType.UTF8, DataType.LARGE_UTF8, DataType.UTF8_VIEW,
            DataType.dictionary(DataType.INT16, DataType.UTF8)}) {
          try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), 1000)) {
            append(batch.column(Field.of("a", type)), words, 1000);
            batch.build().close();
          }
        }
      }
    }
  }

  /** The memory of arrow-java. */
  @State(Scope.Thread)
  public static class ArrowJava {
    final RootAllocator allocator = new RootAllocator();

    @TearDown
    public void close() {
      allocator.close();
    }
  }

  private static void append(ColumnBuilder column, long[] values, boolean @Nullable [] nulls) {
    if (nulls == null) {
      for (long value : values) column.append(value);
    } else {
      for (int i = 0; i < values.length; i++) {
        if (nulls[i]) {
          column.appendNull();
        } else {
          column.append(values[i]);
        }
      }
    }
  }

  private static void append(ColumnBuilder column, String[] words, int rows) {
    for (int i = 0; i < rows; i++) column.append(words[i & (WORDS - 1)]);
  }

  private static void build(DataType type, long[] values, boolean @Nullable [] nulls) {
    try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), ROWS)) {
      append(batch.column(Field.of("a", type)), values, nulls);
      try (RecordBatch built = batch.build()) {
        if (built.length() != ROWS) throw new AssertionError(built);
      }
    }
  }

  private static void build(DataType type, String[] words) {
    try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), ROWS)) {
      append(batch.column(Field.of("a", type)), words, ROWS);
      try (RecordBatch built = batch.build()) {
        if (built.length() != ROWS) throw new AssertionError(built);
      }
    }
  }

  /** Appends int64 in the library. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void int64(Values values) {
    build(DataType.INT64, values.numbers, null);
  }

  /** Appends int64 in the library, with every tenth value null. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void int64WithNulls(Values values) {
    build(DataType.INT64, values.numbers, values.nulls);
  }

  /** Appends text of about 25 bytes in the library. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void utf8(Values values) {
    build(DataType.UTF8, values.words);
  }

  /** Appends the same text as views in the library. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void utf8View(Values values) {
    build(DataType.UTF8_VIEW, values.words);
  }

  /** Appends the same text as a dictionary of 64 words in the library. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void utf8Dictionary(Values values) {
    build(DataType.dictionary(DataType.INT16, DataType.UTF8), values.words);
  }

  /** Appends int64 in arrow-java. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void arrowJavaInt64(Values values, ArrowJava side) {
    try (BigIntVector vector = new BigIntVector("a", side.allocator)) {
      vector.allocateNew(ROWS);
      for (int i = 0; i < ROWS; i++) vector.setSafe(i, values.numbers[i]);
      vector.setValueCount(ROWS);
    }
  }

  /** Appends int64 in arrow-java, with every tenth value null. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void arrowJavaInt64WithNulls(Values values, ArrowJava side) {
    try (BigIntVector vector = new BigIntVector("a", side.allocator)) {
      vector.allocateNew(ROWS);
      for (int i = 0; i < ROWS; i++) {
        if (values.nulls[i]) {
          vector.setNull(i);
        } else {
          vector.setSafe(i, values.numbers[i]);
        }
      }
      vector.setValueCount(ROWS);
    }
  }

  /** Appends text of about 25 bytes from a String in arrow-java, like the library. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void arrowJavaUtf8(Values values, ArrowJava side) {
    try (VarCharVector vector = new VarCharVector("a", side.allocator)) {
      vector.allocateNew(ROWS);
      for (int i = 0; i < ROWS; i++) vector.setSafe(i, values.words[i & (WORDS - 1)].getBytes(StandardCharsets.UTF_8));
      vector.setValueCount(ROWS);
    }
  }
}
