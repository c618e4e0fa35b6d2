// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.spi.CopyBatch;

/**
 * Pieces of memory and their targets, in native memory, because runtimes take them in that form. The owner frees the
 * list.
 */
final class CopyList implements CopyBatch {
  private static final int FIRST_CAPACITY = 16;

  private long block;
  private int capacity;
  private int count;
  private long total;
  private boolean isBetweenDevices;

  void add(long to, long from, long bytes) {
    if (count == capacity) grow();
    NativeHeap.putLong(targets() + (long) Long.BYTES * count, to);
    NativeHeap.putLong(sources() + (long) Long.BYTES * count, from);
    NativeHeap.putLong(sizes() + (long) Long.BYTES * count, bytes);
    count++;
    total += bytes;
  }

  /** Makes the piece that was added last longer. */
  void extend(long bytes) {
    long at = sizes() + (long) Long.BYTES * (count - 1);
    NativeHeap.putLong(at, NativeHeap.getLong(at) + bytes);
    total += bytes;
  }

  private void grow() {
    int larger = Math.max(FIRST_CAPACITY, 2 * capacity);
    long copy = NativeHeap.allocate(3L * Long.BYTES * larger);
    for (int i = 0; i < 3; i++) NativeHeap.copy(block + (long) Long.BYTES * i * capacity,
        copy + (long) Long.BYTES * i * larger, (long) Long.BYTES * count);
    NativeHeap.free(block);
    block = copy;
    capacity = larger;
  }

  boolean isEmpty() {
    return count == 0;
  }

  /** Returns the sum of the bytes of all pieces. */
  long total() {
    return total;
  }

  /**
   * Moves the pieces to a new list. This list is empty from then on. It may be used and freed independently of the new
   * list.
   */
  CopyList move() {
    CopyList moved = new CopyList();
    moved.block = block;
    moved.capacity = capacity;
    moved.count = count;
    moved.total = total;
    moved.isBetweenDevices = isBetweenDevices;
    block = 0;
    capacity = 0;
    clear();
    return moved;
  }

  void clear() {
    count = 0;
    total = 0;
    isBetweenDevices = false;
  }

  void free() {
    NativeHeap.free(block);
    block = 0;
    capacity = 0;
    clear();
  }

  /** Notes that some pieces go from one device's memory to another device's memory. */
  void noteBetweenDevices() {
    isBetweenDevices = true;
  }

  @Override
  public boolean isBetweenDevices() {
    return isBetweenDevices;
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public long to(int piece) {
    return NativeHeap.getLong(targets() + (long) Long.BYTES * piece);
  }

  @Override
  public long from(int piece) {
    return NativeHeap.getLong(sources() + (long) Long.BYTES * piece);
  }

  @Override
  public long bytes(int piece) {
    return NativeHeap.getLong(sizes() + (long) Long.BYTES * piece);
  }

  @Override
  public long targets() {
    return block;
  }

  @Override
  public long sources() {
    return block + (long) Long.BYTES * capacity;
  }

  @Override
  public long sizes() {
    return block + 2L * Long.BYTES * capacity;
  }
}
