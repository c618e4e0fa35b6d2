// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.util.concurrent.TimeUnit;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Devices;
import org.arbalest.device.SyncEvent;
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
 * Measures waiting for an OpenCL event. For a completed event: {@code await()}, which remembers the completion; the
 * first {@code isReady} of an event; and the raw query. For an event behind a copy of 1 MiB: {@code await()} in a
 * coroutine, and the raw blocking wait.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(3)
@State(Scope.Benchmark)
@SuppressWarnings("NullAway.Init") // JMH calls the @Setup
public class OpenClAwait {
  private static final int WAITS = 200;

  private Device device;
  private Waits waits;
  private DeviceStream stream;
  private SyncEvent done;
  private long rawDone;
  private DeviceBuffer from;
  private DeviceBuffer to;

  @Setup
  public void open() {
    device = Devices.device(DeviceType.OPENCL, 0);
    stream = device.createStream();
    from = device.allocate(1 << 20);
    to = device.allocate(1 << 20);
    done = stream.record();
    done.synchronize();
    rawDone = done.handle();
    waits = new Waits(stream, from, to);
  }

  @TearDown
  public void close() {
    stream.synchronize();
    done.close();
    from.close();
    to.close();
    stream.close();
  }

  @Benchmark
  public Object completed() {
    return waits.await(done);
  }

  /** Creates a handle, calls {@code isReady} for the first time, and closes the handle. */
  @Benchmark
  public boolean firstLook() {
    try (SyncEvent event = device.adoptEvent(RawOpenCl.retained(rawDone))) {
      return event.isReady();
    }
  }

  @Benchmark
  public int rawCompleted() throws Throwable {
    return RawOpenCl.status(rawDone);
  }

  @Benchmark
  @OperationsPerInvocation(WAITS)
  public void pending() {
    waits.pending(WAITS);
  }

  @Benchmark
  @OperationsPerInvocation(WAITS)
  public int rawPending() throws Throwable {
    int sum = 0;
    for (int i = 0; i < WAITS; i++) {
      stream.copy(from, to);
      try (SyncEvent event = stream.record()) {
        sum += RawOpenCl.await(event.handle());
      }
    }
    return sum;
  }
}
