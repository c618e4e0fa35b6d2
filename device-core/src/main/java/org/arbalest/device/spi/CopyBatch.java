// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

/**
 * A set of copies that are queued together. Their ranges do not overlap, and their order does not matter. A
 * {@link DeviceDriver} may read a batch only until the method that received it returns.
 *
 * <p>The addresses of the three arrays are for functions such as {@code cuMemcpyBatchAsync}. Each array is native
 * memory with {@link #count} words of 64 bits.
 */
public interface CopyBatch {
  /** The most copies that a driver passes to its runtime in one call. Runtimes crashed or hung with many thousands. */
  int MOST_AT_ONCE = 1024;

  /**
   * Returns whether the batch has copies from one device's memory to another's. A runtime may need to know the two
   * devices, and may have to copy through main memory.
   */
  boolean isBetweenDevices();

  /** Returns the number of copies; at least 1. No copy is empty. */
  int count();

  /** Returns the target address of a copy. */
  long to(int piece);

  /** Returns the source address of a copy. */
  long from(int piece);

  /** Returns the size of a copy in bytes. */
  long bytes(int piece);

  /** Returns the address of the array of all {@link #to} values. */
  long targets();

  /** Returns the address of the array of all {@link #from} values. */
  long sources();

  /** Returns the address of the array of all {@link #bytes} values. */
  long sizes();
}
