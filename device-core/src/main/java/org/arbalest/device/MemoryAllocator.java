// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

/**
 * A source of raw memory of one kind: it allocates addresses and frees them. The application or a backend implements
 * it. The library may call all methods from any thread, also from several at a time.
 *
 * <p>The library counts the memory, and frees each address once.
 */
public interface MemoryAllocator {
  /** Returns whether the CPU can read and write this memory through the addresses that {@link #allocate} returns. */
  boolean isCpuAccessible();

  /**
   * Returns the largest alignment in bytes that {@link #allocate} supports, a power of two. The library allocates more
   * bytes for a larger alignment.
   */
  default long alignment() {
    return 4096;
  }

  /**
   * Returns how many bytes of freed memory the library keeps for later allocations. 0 if {@link #free} does not wait.
   *
   * <p>A larger value means that {@link #free} waits until the device has completed all its work, and may delay other
   * calls meanwhile. The library then keeps freed memory, and frees the excess while no device has work.
   */
  default long cacheBytes() {
    return 0;
  }

  /**
   * Returns whether unused memory is still in the state in which it was allocated, except for its content. The library
   * frees memory in another state instead of keeping it for later allocations. Must not wait.
   *
   * @param address an address from {@link #allocate}
   * @param bytes the size that was given to {@link #allocate}
   */
  default boolean isReusable(long address, long bytes) {
    return true;
  }

  /** Frees the memory that this allocator itself keeps after {@link #free}. May wait for the device. */
  default void trim() {}

  /** Returns how many bytes of freed memory this allocator itself keeps, as far as it knows. */
  default long keptBytes() {
    return 0;
  }

  /**
   * Allocates memory, whose content is undefined. When this returns, any stream and the CPU may use the memory: no
   * earlier work uses it any more.
   *
   * <p>Exception: if the memory is in the order of a stream ({@link MemoryManager#of(DeviceStream, MemoryAllocator)}),
   * only work that is queued in that stream later may use it. Work that is in the stream may still use it.
   *
   * @param bytes the size in bytes, at least 1
   * @param alignment the alignment of the returned address in bytes; a power of two, at most {@link #alignment()}
   * @return the address, never 0
   * @throws org.arbalest.device.DeviceException with {@code ENOMEM}, the limit and the requested size, if there is not
   *     enough memory
   */
  long allocate(long bytes, long alignment);

  /**
   * Frees memory that {@link #allocate} returned. No queued work uses it any more, except that of the stream which
   * orders the memory. The library can only log an exception from this method.
   *
   * @param address an address from {@link #allocate}
   * @param bytes the size that was given to {@link #allocate}
   */
  void free(long address, long bytes);

  /**
   * Frees memory, and runs a callback after the last native call to free it. An allocator that has to defer that call
   * runs the callback after the deferred call.
   *
   * @param address an address from {@link #allocate}
   * @param bytes the size that was given to {@link #allocate}
   * @param freed run once, on any thread, whether or not the call succeeds; does not throw
   */
  default void free(long address, long bytes, Runnable freed) {
    try {
      free(address, bytes);
    } finally {
      freed.run();
    }
  }
}
