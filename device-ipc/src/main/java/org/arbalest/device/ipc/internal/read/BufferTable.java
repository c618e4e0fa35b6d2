// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.util.Arrays;
import java.util.Comparator;

/** The buffers that a batch needs from the body of its message: positions in the body, then addresses. Reused. */
final class BufferTable {
  private long[] positions = new long[32];
  private long[] sizes = new long[32];
  private long[] addresses = new long[32];
  private int count;

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

  /** Returns the indices of the buffers with content, in the order of their positions. */
  int[] inOrder() {
    int[] order = new int[count];
    int filled = 0;
    boolean isOrdered = true;
    for (int i = 0; i < count; i++) {
      if (sizes[i] == 0) continue;
      if (filled > 0 && positions[order[filled - 1]] > positions[i]) isOrdered = false;
      order[filled++] = i;
    }
    int[] used = Arrays.copyOf(order, filled);
    if (isOrdered) return used;
    return Arrays.stream(used).boxed().sorted(Comparator.comparingLong(i -> positions[i])).mapToInt(i -> i).toArray();
  }
}
