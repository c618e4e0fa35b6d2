// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

/**
 * Where memory of one kind comes from: raw addresses, out and back.
 *
 * <p>Counting and freeing once is core's work. Both methods may be called from any thread.
 */
public interface MemoryAllocator {
  /** Whether the CPU can read and write this memory through the addresses that {@link #allocate} returns. */
  boolean isCpuAccessible();

  /** The largest alignment that {@link #allocate} can give; who wants more takes more bytes. A power of two. */
  default long alignment() {
    return 4096;
  }

  /**
   * How much of what was freed is to be kept for the next who asks, in bytes, since {@link #free} waits until the
   * device has done all that it has to, and may hold up other calls meanwhile. Core keeps it then, and gives back what
   * is more when no device has work. 0 if freeing waits for nothing.
   */
  default long cacheBytes() {
    return 0;
  }

  /**
   * Whether memory that nobody uses any more is as it was when it was allocated, but for its content: else it is not
   * kept for the next who asks, but freed. Waits for nothing.
   *
   * @param address from {@link #allocate}
   * @param bytes as given to {@link #allocate}
   */
  default boolean isReusable(long address, long bytes) {
    return true;
  }

  /** Gives back what this allocator itself keeps of what was freed; may wait for the device. */
  default void trim() {}

  /** How much this allocator itself keeps, in bytes, as far as it knows. */
  default long keptBytes() {
    return 0;
  }

  /**
   * Allocates memory, whose content is undefined.
   *
   * @param bytes how many, at least 1
   * @param alignment of the address returned; a power of two, at most {@link #alignment()}
   * @return the address, never 0
   * @throws org.arbalest.device.DeviceException with {@code ENOMEM}, the limit and what was asked for, if there is not
   *     enough
   */
  long allocate(long bytes, long alignment);

  /**
   * Frees what {@link #allocate} returned. No work that was queued uses it any more. What this throws can only be
   * logged.
   *
   * @param address from {@link #allocate}
   * @param bytes as given to {@link #allocate}
   */
  void free(long address, long bytes);

  /**
   * Frees, and says when no call for it will be made any more: not before it could be made, where it has to be put off.
   *
   * @param freed run once, on any thread, whatever becomes of it; does not throw
   */
  default void free(long address, long bytes, Runnable freed) {
    try {
      free(address, bytes);
    } finally {
      freed.run();
    }
  }
}
