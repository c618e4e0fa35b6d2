// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

/**
 * Copies that are queued together: pieces of memory that do not overlap, in any order. What a {@link DeviceDriver} gets
 * of one is good until its call returns.
 *
 * <p>The three arrays are native memory, of {@link #count} words each, as {@code cuMemcpyBatchAsync} and its like take
 * them.
 */
public interface CopyBatch {
  /**
   * Whether there are pieces from one device's memory to another's: a runtime may have to be told whose memory is
   * whose, and to go by way of main memory.
   */
  boolean isBetweenDevices();

  /** How many pieces there are; at least 1. None is empty. */
  int count();

  /** Where a piece goes to. */
  long to(int piece);

  /** Where it comes from. */
  long from(int piece);

  /** How many bytes it has. */
  long bytes(int piece);

  /** The address of the array of all {@link #to}. */
  long targets();

  /** The address of the array of all {@link #from}. */
  long sources();

  /** The address of the array of all {@link #bytes}. */
  long sizes();
}
