// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import org.arbalest.device.MemoryManager;

/** A body in memory, which arrays refer to. */
record MemoryBody(SharedMemory memory, long position, long size) implements Body {
  @Override
  public boolean isInMemory() {
    return !memory.isCopy();
  }

  @Override
  public Runnable fetch(BufferTable buffers, MemoryManager unused, long limit) {
    long start = memory.address() + position;
    for (int i = 0; i < buffers.count(); i++) {
      if (buffers.size(i) != 0) buffers.set(i, start + buffers.position(i), buffers.size(i));
    }
    memory.retain();
    return memory.releasing();
  }
}
