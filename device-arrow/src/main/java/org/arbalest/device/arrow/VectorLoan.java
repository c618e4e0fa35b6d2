// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import java.util.Arrays;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of vectors that an array of this library uses. Each is retained once, and released, on any thread, with
 * the last reference to the array.
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

  /** Returns the number of buffers. */
  int count() {
    return count;
  }

  /** Returns whether a buffer contains some bytes. */
  boolean has(int index, long address, long bytes) {
    ArrowBuf buffer = buffers[index];
    if (buffer == null) return false;
    long start = address - buffer.memoryAddress();
    return start >= 0 && start + bytes <= buffer.capacity();
  }

  /**
   * Returns some bytes of a buffer, retained once more by the allocator that already counts them.
   *
   * @return the buffer, or null if another allocator counts it
   */
  @SuppressWarnings("ReferenceEquality") // allocators are compared by identity
  @Nullable
  ArrowBuf share(int index, long address, long bytes, BufferAllocator allocator) {
    ArrowBuf buffer = buffers[index];
    if (buffer == null || buffer.getReferenceManager().getAllocator() != allocator) return null;
    // Arrow Java reads the slice from its beginning to its end, regardless of the original buffer's indices
    ArrowBuf part = buffer.slice(address - buffer.memoryAddress(), bytes);
    part.getReferenceManager().retain();
    return part;
  }

  /** Releases all buffers, even if one release fails, for example for an allocator that is already closed. */
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
