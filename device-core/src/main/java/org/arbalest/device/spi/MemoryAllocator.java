// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

/**
 * Where memory of one kind comes from: raw addresses, out and back.
 *
 * <p>Counting and freeing once is core's work. Both methods may be called from any thread.
 */
public interface MemoryAllocator {
  /** Whether the CPU can read and write this memory through the addresses that {@link #allocate} returns. */
  boolean isCpuAccessible();

  /**
   * Allocates memory, whose content is undefined.
   *
   * @param bytes how many, at least 1
   * @param alignment of the address returned; a power of two, at most 4096
   * @return the address, never 0
   * @throws org.arbalest.device.DeviceException with {@code ENOMEM}, the limit and what was asked for, if there is not enough
   */
  long allocate(long bytes, long alignment);

  /**
   * Frees what {@link #allocate} returned. No work that was queued uses it any more. What this throws can only be logged.
   *
   * @param address from {@link #allocate}
   * @param bytes as given to {@link #allocate}
   */
  void free(long address, long bytes);
}
