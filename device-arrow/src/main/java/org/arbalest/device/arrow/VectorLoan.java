// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.util.Arrays;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of vectors that an array of ours has, each retained once; released when its last holder has left, on any
 * thread.
 */
final class VectorLoan {
  private @Nullable ArrowBuf[] buffers;
  private int count;

  VectorLoan(int expected) {
    buffers = new ArrowBuf[expected];
  }

  void retain(ArrowBuf buffer) {
    if (count == buffers.length) buffers = Arrays.copyOf(buffers, 2 * count + 2);
    buffer.getReferenceManager().retain();
    buffers[count++] = buffer;
  }

  /** How many there are. */
  int count() {
    return count;
  }

  /** Whether one of them has some bytes. */
  boolean has(int index, long address, long bytes) {
    ArrowBuf buffer = buffers[index];
    if (buffer == null) return false;
    long start = address - buffer.memoryAddress();
    return start >= 0 && start + bytes <= buffer.capacity();
  }

  /**
   * Some bytes that one of them has, retained once more by the allocator that counts them already.
   *
   * @return null if it is another's
   */
  @SuppressWarnings("ReferenceEquality") // allocators are who they are
  @Nullable
  ArrowBuf share(int index, long address, long bytes, BufferAllocator allocator) {
    ArrowBuf buffer = buffers[index];
    if (buffer == null || buffer.getReferenceManager().getAllocator() != allocator) return null;
    // which is read from its beginning to its end, whatever that of the vector says
    ArrowBuf part = buffer.slice(address - buffer.memoryAddress(), bytes);
    part.getReferenceManager().retain();
    return part;
  }

  /** Releases all of them, also if one fails: as of an allocator that was closed before. */
  void release() {
    Throwable failure = null;
    for (int i = 0; i < count; i++) {
      ArrowBuf buffer = buffers[i];
      if (buffer == null) continue;
      buffers[i] = null;
      failure = Releases.of(buffer, failure);
    }
    Releases.raise(failure);
  }
}
