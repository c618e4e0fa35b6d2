// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.ipc.IpcException;
import org.arbalest.device.ipc.internal.memory.NativeMemory;

/** The ranges of a body to read: buffers that are close together are read at once, into one allocation for all. */
final class Ranges {
  /** The gap between two buffers up to which one read is cheaper than two. */
  private static final long GAP = 4096;

  private final BufferTable buffers;
  private final int[] order;
  private final long[] starts;
  private final long[] ends;
  private final long[] places;
  private int count;
  private long total;

  Ranges(BufferTable buffers) {
    this.buffers = buffers;
    order = buffers.inOrder();
    starts = new long[order.length];
    ends = new long[order.length];
    places = new long[order.length];
    for (int buffer : order) {
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
  Runnable read(Source source, MemoryManager memory, long limit, long position) throws IOException {
    if (count == 0) return Body.NOTHING;
    place(limit, position);
    DeviceBuffer bytes = memory.allocate(total);
    try {
      long address = bytes.address();
      for (int i = 0; i < count; i++) source.read(starts[i], ends[i], address + places[i]);
      int range = 0;
      for (int buffer : order) {
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
