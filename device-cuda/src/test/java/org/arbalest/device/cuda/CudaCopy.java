// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import java.util.concurrent.TimeUnit;
import org.arbalest.device.BatchBuilder;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Devices;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.MemoryPool;
import org.arbalest.device.abi.DeviceType;
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
 * 256 MiB of int64 columns to a GPU and back, into pooled memory, until they are there; beside it one {@code cuMemcpyAsync} of as many bytes
 * from and to the same kind of main memory.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(1)
@State(Scope.Benchmark)
public class CudaCopy {
  private static final long BYTES = Long.getLong("arbalest.check.bytes", 256L << 20);

  @Param({"1", "100"}) int columns;

  @Param({"pinned", "pageable"}) String memory;

  private Device device;
  private DeviceStream stream;
  private MemoryPool onDevice;
  private MemoryPool onHost;
  private DeviceArray here;
  private DeviceArray there;
  private DeviceBuffer rawHere;
  private DeviceBuffer rawThere;

  @Setup
  public void open() {
    device = Devices.device(DeviceType.CUDA, 0);
    stream = device.createStream();
    MemoryManager host = memory.equals("pinned") ? Devices.device(DeviceType.CUDA_HOST, 0).memory() : Devices.cpu().memory();
    onDevice = MemoryPool.of(device.memory(), 3 * BYTES);
    onHost = MemoryPool.of(host, 3 * BYTES);
    int rows = (int) (BYTES / Long.BYTES / columns);
    long[] values = new long[rows];
    for (int i = 0; i < rows; i++) values[i] = i;
    try (BatchBuilder builder = host.batchBuilder(rows)) {
      for (int i = 0; i < columns; i++) builder.int64("c" + i, values);
      here = builder.build();
    }
    there = here.copyTo(onDevice, stream);
    there.synchronize();
    rawHere = host.allocate(BYTES);
    rawThere = device.allocate(BYTES);
    rawHere.segment().fill((byte) 1); // pages that nobody wrote would be one page of zeroes
  }

  @TearDown
  public void close() {
    rawHere.close();
    rawThere.close();
    there.close();
    here.close();
    stream.synchronize();
    stream.close();
    onDevice.close();
    onHost.close();
  }

  @Benchmark
  public long toDevice() {
    return copy(here, onDevice);
  }

  @Benchmark
  public long toHost() {
    return copy(there, onHost);
  }

  @Benchmark
  public int rawToDevice() {
    return raw(rawThere.address(), rawHere.address());
  }

  @Benchmark
  public int rawToHost() {
    return raw(rawHere.address(), rawThere.address());
  }

  private long copy(DeviceArray array, MemoryManager target) {
    try (DeviceArray copy = array.copyTo(target, stream)) {
      copy.synchronize();
      return copy.length();
    }
  }

  private int raw(long to, long from) {
    try (Cuda.Scope scope = Cuda.enter(device)) {
      int copied = CuCopies.memcpyAsync(to, from, BYTES, stream.handle());
      int synchronizing = Cu.streamSynchronize(stream.handle());
      if (copied != 0 || synchronizing != 0) throw new IllegalStateException(copied + ", " + synchronizing);
      return scope.hashCode();
    }
  }
}
