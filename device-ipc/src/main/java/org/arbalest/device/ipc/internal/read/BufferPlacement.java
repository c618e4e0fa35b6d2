// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.ipc.IpcException;
import org.arbalest.device.ipc.IpcCompression;
import org.arbalest.device.ipc.internal.compress.Codec;
import org.arbalest.device.ipc.internal.compress.MalformedCompression;
import org.arbalest.device.ipc.internal.memory.NativeMemory;
import org.arbalest.device.ipc.internal.memory.ParallelLoop;

/**
 * Gives each buffer of a batch the memory that its array refers to: in place, or in one allocation for all buffers that
 * must be decompressed or aligned.
 */
final class BufferPlacement {
  /** The bytes from which several threads decompress. */
  private static final long PARALLEL = 1 << 20;

  /** The size of a compressed buffer that is stored without compression. */
  private static final long STORED = -1;

  private final BufferTable buffers;
  private final IpcCompression compression;
  private final Body body;

  /** Where a buffer goes in the allocation, and its size there; or −1 if it stays in place. */
  private final long[] places;

  private final long[] sizes;
  private final boolean[] areCompressed;
  private long total;
  private boolean areAllMoved = true;

  private BufferPlacement(BufferTable buffers, IpcCompression compression, Body body) {
    this.buffers = buffers;
    this.compression = compression;
    this.body = body;
    places = new long[buffers.count()];
    sizes = new long[buffers.count()];
    areCompressed = new boolean[buffers.count()];
  }

  /**
   * Sets the addresses and the sizes of the buffers.
   *
   * @param isChosen whether the application chose the memory, so that no buffer may be elsewhere
   * @param limit the most bytes for one allocation; at most {@link NativeMemory#MOST_BYTES}
   * @return releases the memory of the buffers; the caller runs it once
   */
  static Runnable place(BufferTable buffers, IpcCompression compression, Body body, MemoryManager memory,
      boolean isChosen, long limit) throws IOException {
    boolean isCompressed = compression != IpcCompression.NONE;
    Runnable raw = body.fetch(buffers, memory, limit); // compressed bytes also count against the memory's limit
    try {
      boolean isElsewhere = isChosen && (isCompressed || body.isInMemory());
      if (!isCompressed && !isElsewhere && areAligned(buffers)) return raw;
      BufferPlacement placement = new BufferPlacement(buffers, compression, body);
      placement.plan(isElsewhere, limit);
      if (placement.total == 0) return raw;
      DeviceBuffer made = placement.fill(memory);
      if (!placement.areAllMoved) {
        Runnable inPlace = raw;
        return () -> {
          made.close();
          inPlace.run();
        };
      }
      raw.run();
      raw = Body.NOTHING;
      return made::close;
    } catch (Throwable t) {
      raw.run();
      throw t;
    }
  }

  private static boolean areAligned(BufferTable buffers) {
    long all = 0;
    for (int i = 0; i < buffers.count(); i++) all |= buffers.address(i);
    return (all & 7) == 0;
  }

  /** @param isElsewhere whether no buffer may stay in place */
  private void plan(boolean isElsewhere, long limit) {
    for (int i = 0; i < sizes.length; i++) {
      places[i] = -1;
      if (buffers.size(i) != 0 && compression != IpcCompression.NONE) readSize(i, limit);
      if (buffers.size(i) == 0) continue;
      if (places[i] < 0 && (isElsewhere || (buffers.address(i) & 7) != 0)) move(i, buffers.size(i), limit);
      areAllMoved &= places[i] >= 0;
    }
  }

  /** Reads the size of a buffer before its compression, which the format writes in front of it. */
  private void readSize(int buffer, long limit) {
    long stored = buffers.size(buffer) - Long.BYTES;
    if (stored < 0) {
      throw at(buffer, "a compressed buffer has " + buffers.size(buffer) + " bytes, but begins with its size of 8");
    }
    long size = NativeMemory.readLong(buffers.address(buffer));
    if (size < STORED) throw at(buffer, "the size of a compressed buffer is negative: " + size);
    if (size == STORED) {
      buffers.set(buffer, buffers.address(buffer) + Long.BYTES, stored);
    } else if (size == 0) {
      buffers.set(buffer, 0, 0);
    } else {
      areCompressed[buffer] = true;
      move(buffer, size, limit);
    }
  }

  private void move(int buffer, long size, long limit) {
    places[buffer] = NativeMemory.align(total);
    sizes[buffer] = size;
    if (size > limit || places[buffer] + size > limit) {
      throw at(buffer, "the buffers of the message need more than " + limit
          + " bytes of memory, the most that may be allocated (maxAllocation); the next one has " + size + " bytes");
    }
    total = places[buffer] + size;
  }

  private DeviceBuffer fill(MemoryManager memory) {
    DeviceBuffer made = memory.allocate(total);
    try {
      long start = made.address();
      ParallelLoop.run(sizes.length, total >= PARALLEL, i -> {
        if (places[i] >= 0) fill(i, start + places[i], memory);
      });
      for (int i = 0; i < sizes.length; i++) {
        if (places[i] >= 0) buffers.set(i, start + places[i], sizes[i]);
      }
      return made;
    } catch (Throwable t) {
      made.close();
      throw t;
    }
  }

  private void fill(int buffer, long target, MemoryManager memory) {
    long address = buffers.address(buffer);
    if (!areCompressed[buffer]) {
      NativeMemory.copy(address, target, sizes[buffer]);
      return;
    }
    MemorySegment source = NativeMemory.segment(address, buffers.size(buffer)).asSlice(Long.BYTES);
    MemoryManager copies = body.isInMemory() ? memory : null; // the body may be a mapped file
    try {
      // one for each buffer: one thread at a time uses a codec
      Codec.of(compression, 0).decompress(source, NativeMemory.segment(target, sizes[buffer]), copies);
    } catch (MalformedCompression e) {
      throw at(buffer, "a compressed buffer is malformed: " + e.getMessage());
    }
  }

  private IpcException at(int buffer, String fault) {
    return new IpcException(body.position() + buffers.position(buffer), fault);
  }
}
