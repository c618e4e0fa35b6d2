// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.Arrays;

/** Which of a builder's values are known, by their hashes; each at the first position it has. */
final class ValueTable {
  private static final int SMALLEST = 64;

  /** Positions, each plus one; a power of two of them, at most half of which are taken. */
  private int[] slots = new int[SMALLEST];

  private long[] hashes = new long[SMALLEST];
  private int size;

  /** How many of the builder's first values were looked at. */
  private int seen;

  /** The position of a value that is the same as the builder's last one, or of that itself. */
  int find(ColumnBuilderImpl values) {
    int last = Math.toIntExact(values.length() - 1);
    while (seen < last) look(values, seen++); // those that were appended past this
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

  /** The last value was known, and goes. */
  void drop() {
    seen--;
  }

  /** Forgets everything: values were taken away. */
  void clear() {
    Arrays.fill(slots, 0);
    size = 0;
    seen = 0;
  }
}
