// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.SmallIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.ViewVarCharVector;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.columns.ByteStringView;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
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
 * Measures further ways to build a column, per row, in the library and in arrow-java: an array with every tenth value
 * null, booleans, text as bytes of another column, views, and dictionaries. In arrow-java, the user must keep the table
 * of a dictionary's values. Otherwise the class is like {@link AppendRows}, and runs after its warm-up.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(AppendMore.ROWS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class AppendMore {
  static final int ROWS = 100_000;

  private final RootAllocator allocator = new RootAllocator();
  private final boolean[] flags = new boolean[ROWS];
  private AppendRows.Values values;
  private RecordBatch words;
  private VarCharVector arrowWords;

  /** Makes the text that is copied, in the memory of each library. */
  @Setup
  public void make() {
    values = new AppendRows.Values();
    values.make();
    Random random = new Random(3);
    for (int i = 0; i < ROWS; i++) flags[i] = random.nextBoolean();
    words = build(DataType.UTF8, this::appendWords);
    arrowWords = new VarCharVector("words", allocator);
    for (int i = 0; i < ROWS; i++) arrowWords.setSafe(i, word(i).getBytes(UTF_8));
    arrowWords.setValueCount(ROWS);
  }

  @TearDown
  public void close() {
    words.close();
    arrowWords.close();
    allocator.close();
  }

  private String word(int row) {
    return values.words[row & (values.words.length - 1)];
  }

  private void appendWords(ColumnBuilder column) {
    for (int i = 0; i < ROWS; i++) column.append(word(i));
  }

  private static RecordBatch build(DataType type, Consumer<ColumnBuilder> append) {
    try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), ROWS)) {
      append.accept(batch.column(Field.of("a", type)));
      return batch.build();
    }
  }

  /** Appends a long[] in the library, and sets every tenth value to null. */
  @Benchmark
  public void appendAllSetNulls() {
    build(DataType.INT64, column -> column.appendAll(values.numbers).setNulls(row -> values.nulls[row])).close();
  }

  /** Does the same in arrow-java by row, since it has no other way from an array. */
  @Benchmark
  public void appendAllSetNullsArrowJava() {
    try (BigIntVector vector = new BigIntVector("a", allocator)) {
      vector.allocateNew(ROWS);
      for (int i = 0; i < ROWS; i++) vector.set(i, values.numbers[i]);
      for (int i = 0; i < ROWS; i++) {
        if (values.nulls[i]) vector.setNull(i);
      }
      vector.setValueCount(ROWS);
    }
  }

  /** Appends the text of another column in the library, row by row, without a String. */
  @Benchmark
  public void appendBytes() {
    ByteStringView from = words.column("a").asByteStrings();
    build(DataType.UTF8, column -> {
      for (long row = 0; row < ROWS; row++) column.append(from, row);
    }).close();
  }

  /** Does the same in arrow-java, from vector to vector. */
  @Benchmark
  public void appendBytesArrowJava() {
    try (VarCharVector vector = new VarCharVector("a", allocator)) {
      vector.allocateNew(ROWS);
      for (int i = 0; i < ROWS; i++) vector.copyFromSafe(i, i, arrowWords);
      vector.setValueCount(ROWS);
    }
  }

  /** Appends booleans in the library. */
  @Benchmark
  public void booleans() {
    build(DataType.BOOL, column -> {
      for (boolean flag : flags) column.append(flag);
    }).close();
  }

  /** Appends booleans in arrow-java. */
  @Benchmark
  public void booleansArrowJava() {
    try (BitVector vector = new BitVector("a", allocator)) {
      vector.allocateNew(ROWS);
      for (int i = 0; i < ROWS; i++) vector.setSafe(i, flags[i] ? 1 : 0);
      vector.setValueCount(ROWS);
    }
  }

  /** Appends Strings as views in the library. */
  @Benchmark
  public void views() {
    build(DataType.UTF8_VIEW, this::appendWords).close();
  }

  /** Appends Strings as views in arrow-java. */
  @Benchmark
  public void viewsArrowJava() {
    try (ViewVarCharVector vector = new ViewVarCharVector("a", allocator)) {
      vector.allocateNew(ROWS);
      for (int i = 0; i < ROWS; i++) vector.setSafe(i, word(i).getBytes(UTF_8));
      vector.setValueCount(ROWS);
    }
  }

  /** Appends text as a dictionary in the library. */
  @Benchmark
  public void dictionary() {
    build(DataType.dictionary(DataType.INT16, DataType.UTF8), this::appendWords).close();
  }

  /** Appends 64 different int64 as a dictionary in the library. */
  @Benchmark
  public void dictionaryInt64() {
    build(DataType.dictionary(DataType.INT16, DataType.INT64), column -> {
      for (int i = 0; i < ROWS; i++) column.append(values.numbers[i & 63]);
    }).close();
  }

  /** Appends int64 in runs of ten in the library. */
  @Benchmark
  public void runs() {
    build(DataType.runEndEncoded(DataType.INT32, Field.of("values", DataType.INT64)), column -> {
      for (int i = 0; i < ROWS; i++) column.append((long) i / 10);
    }).close();
  }

  /** Appends text as a dictionary in arrow-java, by a table of Strings. */
  @Benchmark
  public void dictionaryArrowJava() {
    Map<String, Short> known = new HashMap<>();
    try (SmallIntVector indices = new SmallIntVector("a", allocator);
        VarCharVector all = new VarCharVector("words", allocator)) {
      indices.allocateNew(ROWS);
      for (int i = 0; i < ROWS; i++) {
        Short index = known.get(word(i));
        if (index == null) {
          index = (short) known.size();
          all.setSafe(index, word(i).getBytes(UTF_8));
          known.put(word(i), index);
        }
        indices.setSafe(i, index);
      }
      indices.setValueCount(ROWS);
      all.setValueCount(known.size());
    }
  }
}
