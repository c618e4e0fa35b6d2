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
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures passing a batch from a coroutine on one thread to a coroutine on another: through an async stream across the
 * C ABI, and, for comparison, through a plain {@code Channel} of the same capacity. One invocation opens the stream,
 * passes {@value #BATCHES} batches and closes the stream; the result is for one batch.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(3)
@OperationsPerInvocation(AsyncStream.BATCHES)
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class AsyncStream {
  static final int BATCHES = 100_000;

  /** The number of int64 columns. */
  @Param("10") int columns;

  /** The number of batches by which the producer may be ahead. */
  @Param({"1", "5", "64"}) int prefetch;

  private Pipe pipe;

  @Setup
  public void open() {
    Batches.crossOthers();
    pipe = new Pipe(columns, prefetch);
  }

  @TearDown
  public void close() {
    pipe.close();
  }

  /** Exports, announces, extracts, imports and releases each batch. */
  @Benchmark
  public long async() {
    return pipe.throughTheAbi(BATCHES);
  }

  /** Sends and receives a handle. */
  @Benchmark
  public long channel() {
    return pipe.throughAChannel(BATCHES);
  }
}
