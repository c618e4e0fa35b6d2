// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import org.arbalest.device.MemoryAllocator;

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
  public void free(long address, long bytes) {
    memory.free(address, bytes, queue::release); // the queue stays until then, because the free is ordered in it
  }
}
