// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.arbalest.device.spi.MemoryAllocator;

/**
 * Memory that takes its turn in a queue (DEV-31). A stream of ours stays, also when it was closed, until the last of it was freed. While others capture the queue
 * nothing is freed, as that would become part of their graph (DEV-60), but after it.
 */
final class QueueAllocator implements MemoryAllocator {
  private static final long SHORTEST_PAUSE_MILLIS = 1;
  private static final long LONGEST_PAUSE_MILLIS = 1000;

  private final DeviceStreamImpl stream;
  private final DeviceQueue queue;
  private final MemoryAllocator memory;

  QueueAllocator(DeviceStreamImpl stream, DeviceQueue queue, MemoryAllocator memory) {
    this.stream = stream;
    this.queue = queue;
    this.memory = memory;
  }

  DeviceQueue queue() {
    return queue;
  }

  @Override
  public boolean isCpuAccessible() {
    return memory.isCpuAccessible();
  }

  @Override
  public long alignment() {
    return memory.alignment();
  }

  @Override
  public long allocate(long bytes, long alignment) {
    Worker.RELEASES.start();
    DeviceQueue held = stream.hold();
    try {
      return memory.allocate(bytes, alignment);
    } catch (Throwable t) {
      held.release();
      throw t;
    }
  }

  @Override
  public void free(long address, long bytes) {
    free(address, bytes, SHORTEST_PAUSE_MILLIS);
  }

  private void free(long address, long bytes, long pauseMillis) {
    if (isCaptured()) {
      Runnable again = () -> free(address, bytes, Math.min(2 * pauseMillis, LONGEST_PAUSE_MILLIS));
      CompletableFuture.delayedExecutor(pauseMillis, TimeUnit.MILLISECONDS, Worker.RELEASES::submit).execute(again);
    } else {
      memory.free(address, bytes, queue::release); // which stays until then: it is freed in its order
    }
  }

  /** Where that cannot be asked for, as the runtime is gone, the call tells. */
  private boolean isCaptured() {
    try {
      return queue.isCaptured();
    } catch (RuntimeException _) {
      return false;
    }
  }
}
