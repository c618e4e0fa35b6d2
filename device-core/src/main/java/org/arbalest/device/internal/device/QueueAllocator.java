// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import org.arbalest.device.DeviceException;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.Faults;

/**
 * An allocator whose allocations and frees are ordered by a queue (DEV-31). The queue of a stream that the library
 * created stays alive until its last memory was freed, even if the stream was closed before.
 */
final class QueueAllocator implements MemoryAllocator {
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
    DeviceQueue held = stream.hold();
    try {
      return memory.allocate(bytes, alignment);
    } catch (Throwable t) {
      held.release();
      throw t;
    }
  }

  @Override
  public boolean isReusable(long address, long bytes) {
    return memory.isReusable(address, bytes);
  }

  @Override
  public void trim() {
    memory.trim();
  }

  @Override
  public long keptBytes() {
    return memory.keptBytes();
  }

  @Override
  public void free(long address, long bytes) {
    if (isCaptured()) {
      Block block = new Block(address, bytes);
      AbandonedWork.keep(queue, block);
      block.release();
    } else {
      memory.free(address, bytes, queue::release); // the queue stays until then, because the free is ordered in it
    }
  }

  private boolean isCaptured() {
    try {
      return queue.isCaptured();
    } catch (DeviceException _) { // the free reports the failure
      return false;
    }
  }

  /** A block that is freed after the capture of the queue: the free would become part of the graph (DEV-60). */
  private final class Block extends Shared {
    private final long address;
    private final long bytes;

    Block(long address, long bytes) {
      this.address = address;
      this.bytes = bytes;
    }

    @Override
    protected void free() {
      try {
        memory.free(address, bytes, queue::release);
      } catch (Throwable t) {
        Faults.report("freeing " + bytes + " bytes on " + queue.device, t);
      }
    }
  }
}
