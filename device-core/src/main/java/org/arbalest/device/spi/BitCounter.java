// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

/**
 * A device's count of ones in bitmaps. {@link org.arbalest.device.DeviceArray#countNulls} uses it for large bitmaps, so
 * that they are not copied to main memory.
 */
@FunctionalInterface
public interface BitCounter {
  /** The size of a row of the table, in bytes. */
  int ROW = 4 * Long.BYTES;

  /**
   * Queues the count, and returns before it is done. Core keeps the memory alive until the queue has done the work,
   * also if this method throws.
   *
   * @param table the address of the table, a multiple of 8. A row has four longs: the address of the bits, the index
   *     of the first bit, the number of bits, and a sum, to which the device adds the number of ones. The table and the
   *     bits are in this device's memory
   * @param rows the number of rows, at least one
   * @param longest the largest number of bits in a row; no row has none
   */
  void countOnes(long queue, long table, int rows, long longest);
}
