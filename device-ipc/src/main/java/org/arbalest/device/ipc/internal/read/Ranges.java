// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.ipc.IpcException;
import org.arbalest.device.ipc.internal.memory.NativeMemory;

/**
 * The ranges of a body to read: buffers that are close together are read at once, into one allocation for all. Reused
 * for the next body.
 */
final class Ranges {
  /** The gap between two buffers up to which one read is cheaper than two. */
  private static final long GAP = 4096;

  private long[] starts = new long[32];
  private long[] ends = new long[32];
  private long[] places = new long[32];
  private int count;
  private long total;

  private void collect(BufferTable buffers, int used) {
    if (starts.length < used) {
      starts = new long[2 * used];
      ends = new long[2 * used];
      places = new long[2 * used];
    }
    count = 0;
    total = 0;
    for (int i = 0; i < used; i++) {
      int buffer = buffers.inOrder(i);
      long start = buffers.position(buffer);
      long end = start + buffers.size(buffer);
      if (count > 0 && start - ends[count - 1] <= GAP) { // both are positive, and their sum may overflow
        ends[count - 1] = Math.max(ends[count - 1], end);
      } else {
        starts[count] = start;
        ends[count++] = end;
      }
    }
  }

  /** Sets the places of the ranges in memory. A range may be longer than any memory: its size is only declared. */
  private void place(long limit, long position) {
    for (int i = 0; i < count; i++) {
      // a buffer that is aligned in the body is aligned in memory
      places[i] = NativeMemory.align(total) + (starts[i] & (NativeMemory.ALIGNMENT - 1));
      long size = ends[i] - starts[i];
      if (size > limit || places[i] + size > limit) {
        throw new IpcException(position, "the message needs more than " + limit
            + " bytes of memory, the most that may be allocated (maxAllocation); its next buffers have " + size
            + " bytes");
      }
      total = places[i] + size;
    }
  }

  /** A source of bytes. */
  interface Source {
    /** Reads all bytes from one position to another, both counted in the body; called in ascending order. */
    void read(long from, long to, long address) throws IOException;
  }

  /**
   * Reads the ranges, and sets the addresses; see {@link Body#fetch}.
   *
   * @param limit at most {@link NativeMemory#MOST_BYTES}
   */
  Runnable read(BufferTable buffers, Source source, MemoryManager memory, long limit, long position)
      throws IOException {
    int used = buffers.order();
    if (used == 0) return Body.NOTHING;
    collect(buffers, used);
    place(limit, position);
    DeviceBuffer bytes = memory.allocate(total);
    try {
      long address = bytes.address();
      for (int i = 0; i < count; i++) source.read(starts[i], ends[i], address + places[i]);
      int range = 0;
      for (int i = 0; i < used; i++) {
        int buffer = buffers.inOrder(i);
        while (buffers.position(buffer) >= ends[range]) range++;
        long offset = buffers.position(buffer) - starts[range];
        buffers.set(buffer, address + places[range] + offset, buffers.size(buffer));
      }
      return bytes::close;
    } catch (Throwable t) {
      bytes.close();
      throw t;
    }
  }
}
