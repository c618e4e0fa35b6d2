// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.util.concurrent.TimeUnit;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Devices;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.MemoryPool;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.opencl.OpenCl;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
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
 * Measures copying 256 MiB of int64 columns to pooled memory of an OpenCL device and back, until the copy has ended.
 * For comparison, it measures raw calls for as many bytes: one call, and one call per column.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(3)
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class OpenClCopy {
  private static final long BYTES = 256L << 20;

  @Param({"1", "100"}) int columns;

  private DeviceStream stream;
  private long queue;
  private long context;
  private MemoryPool onDevice;
  private MemoryPool onCpu;
  private RecordBatch here;
  private RecordBatch there;
  private long rawHere;
  private long rawThere;

  @Setup
  public void open() throws Throwable {
    Device device = Devices.device(DeviceType.OPENCL, 0);
    stream = device.createStream();
    queue = stream.handle();
    context = OpenCl.context(device);
    onDevice = MemoryPool.of(device.memory(), 4 * BYTES);
    onCpu = MemoryPool.of(Devices.cpu().memory(), 4 * BYTES);
    int rows = (int) (BYTES / Long.BYTES / columns);
    long[] values = new long[rows];
    for (int i = 0; i < rows; i++) values[i] = i;
    try (BatchBuilder builder = BatchBuilder.of(Devices.cpu(), rows)) {
      for (int i = 0; i < columns; i++) builder.int64("c" + i, values);
      here = builder.build();
    }
    there = here.copyTo(onDevice, stream);
    there.synchronize();
    rawHere = RawOpenCl.allocate(context, BYTES);
    rawThere = RawOpenCl.allocate(context, BYTES);
    long one = there.column(0).bufferAddress(1); // one allocation contains all columns
    long size = 8L * rows * columns;
    RawOpenCl.copy(queue, rawHere, one, size); // unwritten pages would all be the same page of zeroes
    RawOpenCl.copy(queue, rawThere, one, size);
  }

  @TearDown
  public void close() throws Throwable {
    RawOpenCl.free(context, rawHere);
    RawOpenCl.free(context, rawThere);
    there.close();
    here.close();
    stream.synchronize();
    stream.close();
    onDevice.close();
    onCpu.close();
  }

  @Benchmark
  public long toDevice() {
    return copy(here, onDevice);
  }

  @Benchmark
  public long toHost() {
    return copy(there, onCpu);
  }

  @Benchmark
  public int rawToDevice() throws Throwable {
    return RawOpenCl.copy(queue, rawThere, rawHere, BYTES);
  }

  /** Copies each column by a raw call from the same memory, which shows the runtime's cost of several copies. */
  @Benchmark
  public int rawPiecesToDevice() throws Throwable {
    long bytes = Long.BYTES * here.length();
    int code = 0;
    for (int i = 0; i < columns; i++)
      code |= RawOpenCl.queueCopy(queue, rawThere + i * bytes, here.column(i).bufferAddress(1), bytes);
    return code | RawOpenCl.finish(queue);
  }

  @Benchmark
  public int rawToHost() throws Throwable {
    return RawOpenCl.copy(queue, rawHere, rawThere, BYTES);
  }

  private long copy(RecordBatch array, MemoryManager target) {
    try (RecordBatch copy = array.copyTo(target, stream)) {
      copy.synchronize();
      return copy.length();
    }
  }
}
