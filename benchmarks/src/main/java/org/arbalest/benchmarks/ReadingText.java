// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.concurrent.TimeUnit;
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
 * Measures reading text, per value, without a String, compared with arrow-java's arrays of bytes. The loops are in
 * {@link ReadLoops} and have read other types before.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(ReadBatch.ROWS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class ReadingText {
  /** The text with which the values are compared. */
  @Param({"OSL", "Reykjavik"}) String constant;

  ReadBatch batch;
  byte[] bytes;
  long warm;

  /**
   * Reads text and binary of each layout before the measurement, whole and sliced, so that the JIT cannot assume one
   * layout.
   */
  @Setup
  public void make() {
    batch = new ReadBatch();
    bytes = constant.getBytes(UTF_8);
    warm = ReadLoops.warmUpText(batch, bytes);
  }

  @TearDown
  public void close() {
    batch.close();
  }

  @Benchmark
  public long countBytes() {
    return ReadLoops.countBytes(batch.ours.column("texts").asByteStrings());
  }

  @Benchmark
  public long countBytesArrowJava() {
    return ReadLoops.countBytes(batch.arrowTexts);
  }

  @Benchmark
  public long countEqual() {
    return ReadLoops.countEqual(batch.ours.column("texts").asByteStrings(), bytes);
  }

  @Benchmark
  public long countEqualViews() {
    return ReadLoops.countEqual(batch.ours.column("views").asByteStrings(), bytes);
  }

  @Benchmark
  public long countEqualArrowJava() {
    return ReadLoops.countEqual(batch.arrowTexts, bytes);
  }

  @Benchmark
  public long hash() {
    return ReadLoops.sumHashes(batch.ours.column("texts").asByteStrings());
  }

  @Benchmark
  public long hashArrowJava() {
    return ReadLoops.sumHashes(batch.arrowTexts);
  }
}
