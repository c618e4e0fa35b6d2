// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.arbalest.device.BatchBuilder;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Devices;
import org.arbalest.device.SyncEvent;
import org.arbalest.device.abi.ArrowDeviceArrayStruct;
import org.arbalest.device.abi.DeviceType;
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
 * A batch of 10 columns on a GPU across the C interface: recorded, exported, imported, waited for by a stream, released. And a wait for a copy
 * of 1 MiB by a coroutine that suspends, by a thread that sleeps in {@code cuEventSynchronize}.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(1)
@State(Scope.Benchmark)
public class CudaEvents {
  private static final int WAITS = 200;

  private Device device;
  private DeviceStream stream;
  private DeviceStream other;
  private DeviceArray batch;
  private DeviceBuffer from;
  private DeviceBuffer to;
  private Arena arena;
  private MemorySegment struct;
  private SuspendingWaits waits;

  @Setup
  public void open() {
    device = Devices.device(DeviceType.CUDA, 0);
    stream = device.createStream();
    other = device.createStream();
    try (BatchBuilder builder = Devices.cpu().batchBuilder(1024)) {
      for (int i = 0; i < 10; i++) builder.int64("c" + i, new long[1024]);
      try (DeviceArray here = builder.build()) {
        batch = here.copyTo(device, stream);
      }
    }
    batch.synchronize();
    from = device.allocate(1 << 20);
    to = device.hostMemory().orElseThrow().allocate(1 << 20);
    arena = Arena.ofShared();
    struct = arena.allocate(ArrowDeviceArrayStruct.SIZE, 8);
    waits = new SuspendingWaits(stream, from, to);
  }

  @TearDown
  public void close() {
    stream.synchronize();
    batch.close();
    from.close();
    to.close();
    stream.close();
    other.close();
    arena.close();
  }

  /** Without an event, as what is known to be ready goes. */
  @Benchmark
  public long exportImport() {
    batch.retain().exportDeviceArray(struct);
    try (DeviceArray imported = DeviceArray.importDeviceArray(struct, batch.schema())) {
      other.waitFor(imported);
      return imported.length();
    }
  }

  /** An event recorded, waited for by another stream, and destroyed. */
  @Benchmark
  public long recordWait() {
    try (SyncEvent event = stream.record()) {
      other.waitFor(event);
      return event.handle();
    }
  }

  @Benchmark
  @OperationsPerInvocation(WAITS)
  public void suspending() {
    waits.suspending(WAITS);
  }

  @Benchmark
  @OperationsPerInvocation(WAITS)
  public void blocking() {
    for (int i = 0; i < WAITS; i++) {
      stream.copy(from, to);
      try (SyncEvent event = stream.record()) {
        event.synchronize(); // cuEventSynchronize
      }
    }
  }
}
