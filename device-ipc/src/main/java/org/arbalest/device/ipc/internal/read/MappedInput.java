// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A file in memory. */
record MappedInput(SharedMemory memory) implements FileInput {
  @Override
  public long size() {
    return memory.size();
  }

  @Override
  public ByteBuffer part(long position, int size, @Nullable ByteBuffer reused) {
    return memory.part(position, size);
  }

  @Override
  public Body body(long position, long size) {
    return new MemoryBody(memory, position, size);
  }

  @Override
  public void release() {
    memory.release();
  }
}
