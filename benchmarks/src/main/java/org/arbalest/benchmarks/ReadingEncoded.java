// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.vector.BigIntVector;
import org.arbalest.device.columns.Column;
import org.arbalest.device.columns.IntView;
import org.arbalest.device.columns.Runs;
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
 * Measures reading encoded columns, per row, in the library and in arrow-java: text in views, runs, and a group-by of
 * text in a dictionary.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(EncodedBatch.ROWS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class ReadingEncoded {
  EncodedBatch batch;
  long warm;

  /** Reads all types once by the same getters, so that no call site has seen only one type. */
  @Setup
  public void make() {
    batch = new EncodedBatch();
    try (ReadBatch others = new ReadBatch()) {
      warm = ReadLoops.warmUp(others);
    }
    for (int i = 0; i < 20; i++) {
      warm += viewStrings() + runsByRow() + dictionaryStrings() + batch.dictionary.asColumn().indices().getLong(i);
    }
  }

  @TearDown
  public void close() {
    batch.close();
  }

  @Benchmark
  public long viewStrings() {
    return strings(batch.views.asColumn());
  }

  @Benchmark
  public long dictionaryStrings() {
    return strings(batch.dictionary.asColumn());
  }

  private static long strings(Column column) {
    long length = 0;
    for (long row = 0; row < EncodedBatch.ROWS; row++) length += column.getString(row).length();
    return length;
  }

  @Benchmark
  public long viewStringsArrowJava() {
    long length = 0;
    for (int row = 0; row < EncodedBatch.ROWS; row++) length += new String(batch.arrowViews.get(row), UTF_8).length();
    return length;
  }

  @Benchmark
  public long runsByRow() {
    Column column = batch.runEnds.asColumn();
    long sum = 0;
    for (long row = 0; row < EncodedBatch.ROWS; row++) sum += column.getLong(row);
    return sum;
  }

  @Benchmark
  public long runsByRun() {
    Runs runs = batch.runEnds.asColumn().runs();
    Column values = runs.values();
    long sum = 0;
    while (runs.next()) sum += values.getLong(runs.value()) * runs.length();
    return sum;
  }

  @Benchmark
  public long runsByRowArrowJava() {
    BigIntVector values = (BigIntVector) batch.arrowRunEnds.getValuesVector();
    long sum = 0;
    for (int row = 0; row < EncodedBatch.ROWS; row++) sum += values.get(batch.arrowRunEnds.getPhysicalIndex(row));
    return sum;
  }

  /** Counts each text by its index, and looks up each text once. */
  @Benchmark
  public Map<String, Integer> groupByIndex() {
    Column column = batch.dictionary.asColumn();
    Column indices = column.indices();
    int[] counts = new int[EncodedBatch.WORDS];
    for (long row = 0; row < EncodedBatch.ROWS; row++) counts[(int) indices.getLong(row)]++;
    Map<String, Integer> result = new HashMap<>();
    Column words = column.dictionary();
    for (int i = 0; i < counts.length; i++) result.put(words.getString(i), counts[i]);
    return result;
  }

  /** Does the same through a typed view, since arrow-java's vector is typed too. */
  @Benchmark
  public Map<String, Integer> groupByTypedIndex() {
    Column column = batch.dictionary.asColumn();
    IntView indices = column.indices().asInts();
    int[] counts = new int[EncodedBatch.WORDS];
    for (long row = 0; row < EncodedBatch.ROWS; row++) counts[indices.get(row)]++;
    Map<String, Integer> result = new HashMap<>();
    Column words = column.dictionary();
    for (int i = 0; i < counts.length; i++) result.put(words.getString(i), counts[i]);
    return result;
  }

  @Benchmark
  public Map<String, Integer> groupByIndexArrowJava() {
    int[] counts = new int[EncodedBatch.WORDS];
    for (int row = 0; row < EncodedBatch.ROWS; row++) counts[batch.arrowIndices.get(row)]++;
    Map<String, Integer> result = new HashMap<>();
    for (int i = 0; i < counts.length; i++) result.put(new String(batch.arrowWords.get(i), UTF_8), counts[i]);
    return result;
  }
}
