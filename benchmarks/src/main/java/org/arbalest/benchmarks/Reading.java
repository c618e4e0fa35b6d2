// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.util.concurrent.TimeUnit;
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
 * Measures reading numbers, per value: through a typed view, without a type, and in Kotlin. For comparison, it measures
 * a Java array and arrow-java. The loops are in {@link ReadLoops}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(ReadBatch.ROWS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class Reading {
  ReadBatch batch;
  long warm;

  @Setup
  public void make() {
    batch = new ReadBatch();
    warm = ReadLoops.warmUp(batch);
  }

  @TearDown
  public void close() {
    batch.close();
  }

  /** Sums a Java array, which is the lowest cost of a sum. */
  @Benchmark
  public long longArray() {
    return ReadLoops.sum(batch.longs);
  }

  @Benchmark
  public long typedView() {
    return ReadLoops.sum(batch.ours.column("longs").asLongs());
  }

  @Benchmark
  public long kotlinView() {
    return KotlinReadLoopsKt.sum(batch.ours.column("longs"));
  }

  @Benchmark
  public long getLong() {
    return ReadLoops.sum(batch.ours.column("longs"));
  }

  @Benchmark
  public long arrowJava() {
    return ReadLoops.sum(batch.arrowLongs);
  }

  @Benchmark
  public long nullsTypedView() {
    return ReadLoops.sumValid(batch.ours.column("nulls").asLongs());
  }

  @Benchmark
  public long nullsOrDefault() {
    return ReadLoops.sumOrZero(batch.ours.column("nulls").asLongs());
  }

  @Benchmark
  public long nullsForEachValid() {
    return ForEachLoop.sumForEach(batch.ours.column("nulls").asLongs());
  }

  @Benchmark
  public long nullsKotlinView() {
    return KotlinReadLoopsKt.sumValid(batch.ours.column("nulls"));
  }

  @Benchmark
  public long nullsKotlinForEachValid() {
    return KotlinReadLoopsKt.sumForEach(batch.ours.column("nulls"));
  }

  @Benchmark
  public long nullsGetLong() {
    return ReadLoops.sumValid(batch.ours.column("nulls"));
  }

  @Benchmark
  public long nullsArrowJava() {
    return ReadLoops.sumValid(batch.arrowNulls);
  }
}
