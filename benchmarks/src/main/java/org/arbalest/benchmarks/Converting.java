// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.Devices;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures converting a column of {@value #ROWS} rows to another layout, in nanoseconds per row, with the release of
 * the result. Every tenth row is null, and texts have 5 to 24 bytes. For comparison, it measures a plain copy of the
 * column. All kinds of conversions run once before in the same process.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(Converting.ROWS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class Converting {
  static final int ROWS = 100_000;

  private static final Field TEXT = Field.of("item", DataType.UTF8);
  private static final Field NUMBER = Field.of("item", DataType.INT64);

  /** The type of the column, and the type of the result. */
  @SuppressWarnings("ImmutableEnumChecker") // a DataType is a record that contains only records
  public enum Kind {
    TEXT_TO_LARGE(DataType.UTF8, DataType.LARGE_UTF8),
    TEXT_TO_VIEWS(DataType.UTF8, DataType.UTF8_VIEW),
    VIEWS_TO_TEXT(DataType.UTF8_VIEW, DataType.UTF8),
    DICTIONARY_TO_TEXT(DataType.dictionary(DataType.INT32, DataType.UTF8), DataType.UTF8),
    DICTIONARY_TO_VIEWS(DataType.dictionary(DataType.INT32, DataType.UTF8), DataType.UTF8_VIEW),
    RUNS_TO_NUMBERS(DataType.runEndEncoded(DataType.INT32, Field.of("values", DataType.INT64)), DataType.INT64),
    LISTS_TO_VIEWS(DataType.list(NUMBER), DataType.listView(NUMBER)),
    VIEWS_TO_LISTS(DataType.listView(NUMBER), DataType.list(NUMBER)),
    LISTS_OF_TEXT_TO_VIEWS(DataType.list(TEXT), DataType.list(TEXT.withType(DataType.UTF8_VIEW))),
    NAME(DataType.INT64, DataType.INT64);

    final DataType from;
    final DataType to;

    Kind(DataType from, DataType to) {
      this.from = from;
      this.to = to;
    }
  }

  /** A column, and the target field. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Column {
    @Param Kind kind;

    DeviceArray array;
    Field requested;

    @Setup
    public void make() {
      for (Kind other : Kind.values()) {
        try (DeviceArray small = column(other.from, 1_000)) {
          for (int i = 0; i < 2_000; i++) small.convertTo(Field.of("b", other.to)).close();
        }
      }
      array = column(kind.from, ROWS);
      requested = Field.of("b", kind.to);
    }

    @TearDown
    public void close() {
      array.close();
    }
  }

  private static DeviceArray column(DataType type, int rows) {
    try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), rows)) {
      ColumnBuilder column = batch.column(Field.of("a", type));
      for (int row = 0; row < rows; row++) {
        if (row % 10 == 9) {
          column.appendNull();
        } else {
          append(column, type, row);
        }
      }
      try (DeviceArray whole = batch.build()) {
        return whole.retainChild(0);
      }
    }
  }

  private static void append(ColumnBuilder column, DataType type, int row) {
    List<Field> children = type.children();
    boolean isRuns = type.equals(Kind.RUNS_TO_NUMBERS.from);
    if (!children.isEmpty() && !isRuns) {
      column.appendList(row % 4);
      for (int i = 0; i < row % 4; i++) append(column.items(), children.getFirst().type(), row + i);
    } else if (isRuns || type instanceof FlatType.IntType) {
      column.append((long) row / 8);
    } else {
      column.append("text ".repeat(1 + row % 4) + row % 1000);
    }
  }

  /** Converts the column with the library. */
  @Benchmark
  public void convert(Column column) {
    column.array.convertTo(column.requested).close();
  }

  /** Copies all buffers of the column unchanged. */
  @Benchmark
  public void copy(Column column) {
    column.array.copyTo(Devices.cpu()).close();
  }
}
