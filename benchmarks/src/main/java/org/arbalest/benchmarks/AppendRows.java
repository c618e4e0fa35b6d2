// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.Devices;
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
 * A column is built row by row; per row, with its part of the batch that it ends up in. Every tenth row, at random, is
 * null where there are nulls.
 *
 * <p>Before that the same code has appended to columns of many types, so that it does not know which builder it has.
 * Both sides know how many rows there will be, and check each time that there is room; arrow-java's way to that is
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

  /** What is appended. */
  @State(Scope.Thread)
  public static class Values {
    final long[] numbers = new Random(1).longs(ROWS).toArray();
    final boolean[] nulls = new boolean[ROWS];
    final String[] words = new String[WORDS];

    /** Fills them, and appends to columns of other types. */
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

  /** arrow-java's memory. */
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
      try (DeviceArray built = batch.build()) {
        if (built.length() != ROWS) throw new AssertionError(built);
      }
    }
  }

  private static void build(DataType type, String[] words) {
    try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), ROWS)) {
      append(batch.column(Field.of("a", type)), words, ROWS);
      try (DeviceArray built = batch.build()) {
        if (built.length() != ROWS) throw new AssertionError(built);
      }
    }
  }

  /** Ours: int64. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void int64(Values values) {
    build(DataType.INT64, values.numbers, null);
  }

  /** Ours: int64, every tenth null. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void int64WithNulls(Values values) {
    build(DataType.INT64, values.numbers, values.nulls);
  }

  /** Ours: text of some 25 bytes. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void utf8(Values values) {
    build(DataType.UTF8, values.words);
  }

  /** Ours: the same as views. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void utf8View(Values values) {
    build(DataType.UTF8_VIEW, values.words);
  }

  /** Ours: the same as a dictionary of 64 words. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void utf8Dictionary(Values values) {
    build(DataType.dictionary(DataType.INT16, DataType.UTF8), values.words);
  }

  /** arrow-java: int64. */
  @Benchmark
  @OperationsPerInvocation(ROWS)
  public void arrowJavaInt64(Values values, ArrowJava side) {
    try (BigIntVector vector = new BigIntVector("a", side.allocator)) {
      vector.allocateNew(ROWS);
      for (int i = 0; i < ROWS; i++) vector.setSafe(i, values.numbers[i]);
      vector.setValueCount(ROWS);
    }
  }

  /** arrow-java: int64, every tenth null. */
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

  /** arrow-java: text of some 25 bytes, of a String, as ours. */
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
