// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.columns.ByteStringView;
import org.arbalest.device.columns.DoubleView;
import org.arbalest.device.columns.LongView;
import org.arbalest.device.columns.Selection;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
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
 * Measures choosing rows and columns. For the rows of a column, the unit is nanoseconds per row of the source, with the
 * allocation and release of the result; texts have 5 to 24 bytes. The loops for comparison do the same on Java arrays,
 * into arrays that exist already unless they say otherwise. All operations run on other types before in the same
 * process.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(ChangingBatches.ROWS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class ChangingBatches {
  static final int ROWS = 100_000;
  private static final int MOST_BYTES = 24;
  private static final int COLUMNS = 1_000;

  /** A column of each type, the same values in Java arrays, and arrays for the results of the loops. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Source {
    @Param({"false", "true"}) boolean nulls;

    DeviceArray numbers;
    DeviceArray texts;
    final long[] values = new long[ROWS];
    final int[] offsets = new int[ROWS + 1];
    byte[] bytes;
    final long[] valid = new long[(ROWS + 63) / 64];

    final long[] toValues = new long[ROWS];
    final int[] toOffsets = new int[ROWS + 1];
    final byte[] toBytes = new byte[ROWS * MOST_BYTES];
    final long[] toValid = new long[valid.length];
    final long[] toBits = new long[valid.length];

    @Setup
    public void make() {
      Random random = new Random(41);
      StringBuilder all = new StringBuilder();
      for (int row = 0; row < ROWS; row++) {
        values[row] = random.nextLong();
        if (!nulls || random.nextInt(10) != 0) {
          valid[row >> 6] |= 1L << row;
          all.append("text ".repeat(1 + random.nextInt(4))).append(random.nextInt(1000));
        }
        offsets[row + 1] = all.length();
      }
      bytes = all.toString().getBytes(UTF_8);
      numbers = column(DataType.INT64, column -> column.appendAll(values));
      texts = column(DataType.UTF8,
          column -> column.appendAll(MemorySegment.ofArray(offsets), MemorySegment.ofArray(bytes)));
      useOthers();
    }

    private DeviceArray column(DataType type, Consumer<ColumnBuilder> append) {
      try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), ROWS)) {
        ColumnBuilder column = batch.column(Field.of("a", type));
        append.accept(column);
        if (nulls) column.setNulls(row -> (valid[row >> 6] >>> row & 1) == 0);
        try (RecordBatch whole = batch.build()) {
          return whole.retainChild(0);
        }
      }
    }

    /** Lets the library's code see more than the types that are measured. */
    private static void useOthers() {
      DataType[] types = {DataType.INT8, DataType.INT16, DataType.INT32, DataType.INT64, DataType.UTF8,
          DataType.LARGE_UTF8, DataType.UTF8_VIEW, DataType.BOOL, DataType.list(Field.of("item", DataType.INT64))};
      for (DataType type : types) {
        try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), 500)) {
          ColumnBuilder column = batch.column(Field.of("a", type));
          for (int row = 0; row < 500; row++) {
            if (row % 10 == 9) column.appendNull();
            else if (type.equals(DataType.BOOL)) column.append(row % 3 == 0);
            else if (!type.children().isEmpty()) {
              column.appendList(row % 3);
              for (int i = 0; i < row % 3; i++) column.items().append((long) i);
            } else if (List.of(DataType.UTF8, DataType.LARGE_UTF8, DataType.UTF8_VIEW).contains(type))
              column.append("a text " + row);
            else column.append((long) row % 100);
          }
          try (RecordBatch array = batch.build()) {
            for (int i = 0; i < 2_000; i++) {
              int each = 2 + i % 5;
              array.filter(Selection.where(500, row -> row % each != 0)).close();
              array.take(5, 499, i % 500, 0).close();
              array.take(5L, 498L, i % 500, 0).close();
            }
          }
        }
      }
    }

    @TearDown
    public void close() {
      numbers.close();
      texts.close();
    }
  }

  /** The rows that a filter keeps, at random. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Kept {
    @Param({"1", "50", "99"}) int percent;

    final long[] bits = new long[(ROWS + 63) / 64];
    Selection selection;

    @Setup
    public void make() {
      Random random = new Random(percent);
      for (int row = 0; row < ROWS; row++) {
        if (random.nextInt(100) < percent) bits[row >> 6] |= 1L << row;
      }
      selection = Selection.ofBitmap(MemorySegment.ofArray(bits), 0, ROWS);
    }
  }

  /** The rows that are taken, at random. */
  @State(Scope.Thread)
  public static class Taken {
    final int[] rows = new Random(7).ints(ROWS, 0, ROWS).toArray();
  }

  /** A batch of many columns, and the columns to select. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Wide {
    RecordBatch batch;
    final int[] indices = new Random(3).ints(10, 0, COLUMNS).distinct().toArray();
    final String[] names = new String[indices.length];

    @Setup
    public void make() {
      try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), 10)) {
        for (int i = 0; i < COLUMNS; i++)
          builder.column(Field.of("column " + i, DataType.INT64)).appendAll(new long[10]);
        batch = builder.build();
      }
      for (int i = 0; i < names.length; i++) names[i] = "column " + indices[i];
    }

    @TearDown
    public void close() {
      batch.close();
    }
  }

  /** A million rows of three columns. The condition holds for half of them. */
  @State(Scope.Thread)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Million {
    private static final int COUNT = 1_000_000;

    RecordBatch batch;

    @Setup
    public void make() {
      Source.useOthers();
      Random random = new Random(5);
      try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), COUNT)) {
        ColumnBuilder ids = builder.column(Field.of("id", DataType.INT64));
        ColumnBuilder prices = builder.column(Field.of("price", DataType.FLOAT64));
        ColumnBuilder names = builder.column(Field.of("name", DataType.UTF8));
        for (int row = 0; row < COUNT; row++) {
          ids.append(random.nextLong());
          prices.append(random.nextDouble());
          names.append("name " + random.nextInt(1_000_000));
        }
        batch = builder.build();
      }
    }

    @TearDown
    public void close() {
      batch.close();
    }
  }

  /** Filters a column of int64. */
  @Benchmark
  public void filterNumbers(Source source, Kept kept) {
    source.numbers.filter(kept.selection).close();
  }

  /** Does the same by a loop over the set bits. */
  @Benchmark
  public int filterNumbersLoop(Source source, Kept kept) {
    long[] from = source.values;
    long[] to = source.toValues;
    int count = 0;
    for (int word = 0; word < kept.bits.length; word++) {
      for (long bits = kept.bits[word]; bits != 0; bits &= bits - 1)
        to[count++] = from[word * 64 + Long.numberOfTrailingZeros(bits)];
    }
    if (source.nulls) filterNulls(source, kept);
    return count;
  }

  private static void filterNulls(Source source, Kept kept) {
    int count = 0;
    long collected = 0;
    for (int word = 0; word < kept.bits.length; word++) {
      long valid = source.valid[word];
      for (long bits = kept.bits[word]; bits != 0; bits &= bits - 1) {
        collected |= (valid >>> Long.numberOfTrailingZeros(bits) & 1) << count;
        if ((++count & 63) != 0) continue;
        source.toValid[(count >> 6) - 1] = collected;
        collected = 0;
      }
    }
    if ((count & 63) != 0) source.toValid[count >> 6] = collected;
  }

  /** Filters a column of text. */
  @Benchmark
  public void filterText(Source source, Kept kept) {
    source.texts.filter(kept.selection).close();
  }

  /** Does the same by a loop over the set bits. */
  @Benchmark
  public int filterTextLoop(Source source, Kept kept) {
    int count = 0;
    int end = 0;
    for (int word = 0; word < kept.bits.length; word++) {
      for (long bits = kept.bits[word]; bits != 0; bits &= bits - 1)
        end = copyText(source, word * 64 + Long.numberOfTrailingZeros(bits), count++, end);
    }
    if (source.nulls) filterNulls(source, kept);
    return end;
  }

  private static int copyText(Source source, int row, int to, int end) {
    int begin = source.offsets[row];
    int length = source.offsets[row + 1] - begin;
    System.arraycopy(source.bytes, begin, source.toBytes, end, length);
    source.toOffsets[to + 1] = end + length;
    return end + length;
  }

  /** Takes rows of a column of int64 at random. */
  @Benchmark
  public void takeNumbers(Source source, Taken taken) {
    source.numbers.take(taken.rows).close();
  }

  /** Does the same by a loop. */
  @Benchmark
  public void takeNumbersLoop(Source source, Taken taken) {
    long[] from = source.values;
    long[] to = source.toValues;
    int[] rows = taken.rows;
    for (int k = 0; k < rows.length; k++) to[k] = from[rows[k]];
    if (source.nulls) takeNulls(source, taken);
  }

  /** Does the same by a loop into a new array. */
  @Benchmark
  public long[] takeNumbersNewLoop(Source source, Taken taken) {
    long[] to = new long[ROWS];
    int[] rows = taken.rows;
    for (int k = 0; k < rows.length; k++) to[k] = source.values[rows[k]];
    if (source.nulls) takeNulls(source, taken);
    return to;
  }

  private static void takeNulls(Source source, Taken taken) {
    int[] rows = taken.rows;
    for (int k = 0; k < rows.length; k += 64) {
      long collected = 0;
      int count = Math.min(64, rows.length - k);
      for (int i = 0; i < count; i++) collected |= (source.valid[rows[k + i] >> 6] >>> rows[k + i] & 1) << i;
      source.toValid[k >> 6] = collected;
    }
  }

  /** Takes rows of a column of text at random. */
  @Benchmark
  public void takeText(Source source, Taken taken) {
    source.texts.take(taken.rows).close();
  }

  /** Does the same by a loop. */
  @Benchmark
  public int takeTextLoop(Source source, Taken taken) {
    int end = 0;
    for (int k = 0; k < taken.rows.length; k++) end = copyText(source, taken.rows[k], k, end);
    if (source.nulls) takeNulls(source, taken);
    return end;
  }

  /** Selects the rows whose value fulfils a condition, which half of them do. */
  @Benchmark
  public Selection where(Source source) {
    return Selection.where(source.numbers.asColumn().asLongs(), value -> value >= 0);
  }

  /** Does the same by a loop over an array. */
  @Benchmark
  public long[] whereLoop(Source source) {
    for (int word = 0; word < source.toBits.length; word++) {
      int first = word * 64;
      int count = Math.min(64, ROWS - first);
      long bits = 0;
      for (int i = 0; i < count; i++) bits |= (source.values[first + i] >= 0 ? 1L : 0) << i;
      source.toBits[word] = bits & source.valid[word];
    }
    return source.toBits;
  }

  /** Selects 10 of 1,000 columns by their positions. */
  @Benchmark
  @OperationsPerInvocation(1)
  public void selectIndices(Wide wide) {
    wide.batch.select(wide.indices).close();
  }

  /** Selects 10 of 1,000 columns by their names. */
  @Benchmark
  @OperationsPerInvocation(1)
  public void selectNames(Wide wide) {
    wide.batch.select(wide.names).close();
  }

  /** Keeps half of a million rows. */
  @Benchmark
  @OperationsPerInvocation(1)
  @OutputTimeUnit(TimeUnit.MILLISECONDS)
  public void filterMillion(Million million) {
    million.batch.filter(Selection.where(million.batch.column("id").asLongs(), id -> id >= 0)).close();
  }

  /** Does the same by a loop over views, which appends to builders. */
  @Benchmark
  @OperationsPerInvocation(1)
  @OutputTimeUnit(TimeUnit.MILLISECONDS)
  public void filterMillionBuilders(Million million) {
    LongView ids = million.batch.column("id").asLongs();
    DoubleView prices = million.batch.column("price").asDoubles();
    ByteStringView names = million.batch.column("name").asByteStrings();
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu())) {
      ColumnBuilder toIds = builder.column(Field.of("id", DataType.INT64));
      ColumnBuilder toPrices = builder.column(Field.of("price", DataType.FLOAT64));
      ColumnBuilder toNames = builder.column(Field.of("name", DataType.UTF8));
      for (long row = 0; row < ids.length(); row++) {
        if (ids.get(row) < 0) continue;
        toIds.append(ids.get(row));
        toPrices.append(prices.get(row));
        toNames.append(names, row);
      }
      builder.build().close();
    }
  }
}
