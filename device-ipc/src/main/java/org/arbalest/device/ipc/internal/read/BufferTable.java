// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.util.Arrays;
import java.util.Comparator;

/** The buffers that a batch needs from the body of its message: positions in the body, then addresses. Reused. */
final class BufferTable {
  /** For bodies that are not in memory. */
  final Ranges ranges = new Ranges();

  private long[] positions = new long[32];
  private long[] sizes = new long[32];
  private long[] addresses = new long[32];
  private int[] order = new int[32];
  private int count;
  private int filled;

  void clear() {
    count = 0;
  }

  int count() {
    return count;
  }

  /** Adds a buffer at a position in the body, and returns its index. */
  int add(long position, long size) {
    if (count == positions.length) {
      positions = Arrays.copyOf(positions, 2 * count);
      sizes = Arrays.copyOf(sizes, 2 * count);
      addresses = Arrays.copyOf(addresses, 2 * count);
    }
    positions[count] = position;
    sizes[count] = size;
    addresses[count] = 0;
    return count++;
  }

  long position(int buffer) {
    return positions[buffer];
  }

  /** Returns the size in bytes: in the body, until {@link #set} sets another one. */
  long size(int buffer) {
    return sizes[buffer];
  }

  long address(int buffer) {
    return addresses[buffer];
  }

  /** Returns the sizes of all buffers together. Their memory exists, so that the sum does not overflow. */
  long bytes() {
    long bytes = 0;
    for (int i = 0; i < count; i++) bytes += sizes[i];
    return bytes;
  }

  void set(int buffer, long address, long size) {
    addresses[buffer] = address;
    sizes[buffer] = size;
  }

  /** Orders the buffers with content by their positions, for {@link #inOrder}, and returns their number. */
  int order() {
    if (order.length < count) order = new int[positions.length];
    filled = 0;
    boolean isOrdered = true;
    for (int i = 0; i < count; i++) {
      if (sizes[i] == 0) continue;
      if (filled > 0 && positions[order[filled - 1]] > positions[i]) isOrdered = false;
      order[filled++] = i;
    }
    if (!isOrdered) { // no other implementation writes this
      int[] sorted = Arrays.stream(order, 0, filled).boxed().sorted(Comparator.comparingLong(i -> positions[i]))
          .mapToInt(i -> i).toArray();
      System.arraycopy(sorted, 0, order, 0, filled);
    }
    return filled;
  }

  /** Returns the index of a buffer by its place in the order. */
  int inOrder(int place) {
    return order[place];
  }
}
