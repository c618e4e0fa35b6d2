// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.Arrays;

/** A hash table of a builder's values. It maps each distinct value to the first position at which it occurs. */
final class ValueTable {
  private static final int SMALLEST = 64;

  /**
   * Positions plus one, or 0 for a free slot. The length is a power of two, and at most half of the slots are taken.
   */
  private int[] slots = new int[SMALLEST];

  private long[] hashes = new long[SMALLEST];
  private int size;

  /** The number of the builder's values that are in the table. */
  private int seen;

  /**
   * Returns the first position whose value equals the builder's last value. This is the last position if the value is
   * new.
   */
  int find(ColumnBuilderImpl values) {
    int last = Math.toIntExact(values.length() - 1);
    while (seen < last) look(values, seen++); // values that were appended directly to the dictionary
    return look(values, seen++);
  }

  private int look(ColumnBuilderImpl values, int position) {
    if (2 * size >= slots.length) grow();
    long hash = values.hashAt(position);
    int mask = slots.length - 1;
    int at = (int) hash & mask;
    while (slots[at] != 0) {
      if (hashes[at] == hash && values.sameAt(slots[at] - 1, position)) return slots[at] - 1;
      at = (at + 1) & mask;
    }
    slots[at] = position + 1;
    hashes[at] = hash;
    size++;
    return position;
  }

  private void grow() {
    int[] oldSlots = slots;
    long[] oldHashes = hashes;
    slots = new int[2 * oldSlots.length];
    hashes = new long[2 * oldSlots.length];
    for (int i = 0; i < oldSlots.length; i++) {
      if (oldSlots[i] == 0) continue;
      int at = (int) oldHashes[i] & (slots.length - 1);
      while (slots[at] != 0) at = (at + 1) & (slots.length - 1);
      slots[at] = oldSlots[i];
      hashes[at] = oldHashes[i];
    }
  }

  /** Records that the builder removed its last value, which was known before. */
  void drop() {
    seen--;
  }

  /** Clears the table, because values were removed. */
  void clear() {
    Arrays.fill(slots, 0);
    size = 0;
    seen = 0;
  }
}
