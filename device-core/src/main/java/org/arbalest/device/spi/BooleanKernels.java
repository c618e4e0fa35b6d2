// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

/**
 * A device's conversions of booleans between bits, as in Arrow's {@code bool}, and bytes, as in {@code arrow.bool8}.
 * {@link ArrayBridge#convertTo} uses them.
 *
 * <p>Each method queues work and returns before it is done. Core keeps the memory alive until the queue has done the
 * work, also if the method throws. It passes addresses of this device, and at least one boolean.
 */
public interface BooleanKernels {
  /**
   * Writes a byte for each boolean, 0 or 1.
   *
   * @param from the address of the bits; the lowest bit of each byte is the first
   * @param first the index of the first bit
   * @param to the address of the bytes to write
   */
  void toBytes(long queue, long from, long first, long count, long to);

  /**
   * Writes a bit for each byte: whether the byte is not 0. The bits behind the last boolean in its byte become 0.
   *
   * @param from the address of the bytes
   * @param first the index of the first byte
   * @param to the address of the bits to write, of which the first is the lowest one
   */
  void toBits(long queue, long from, long first, long count, long to);
}
