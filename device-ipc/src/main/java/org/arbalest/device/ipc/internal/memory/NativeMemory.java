// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Memory by its address. The caller keeps it alive, and has checked the bounds. */
public final class NativeMemory {
  /** The unit of alignment of allocations, as the columnar format recommends. */
  public static final int ALIGNMENT = 64;

  /** More bytes than any process can address. Sums of two such sizes do not overflow. */
  public static final long MOST_BYTES = 1L << 57;

  /** 64 zero bytes, for a buffer without content. They are never freed. */
  private static final MemorySegment ZEROS = Arena.global().allocate(ALIGNMENT, ALIGNMENT);

  /** All memory, so that reading a number makes no segment. */
  private static final MemorySegment ALL = segment(0, Long.MAX_VALUE);

  private NativeMemory() {}

  /** Returns the address of 64 zero bytes. */
  public static long zeros() {
    return ZEROS.address();
  }

  /** Returns a segment without a bound on its lifetime. */
  public static MemorySegment segment(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  /** Returns a number of 64 bits, at any alignment. */
  public static long readLong(long address) {
    return ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, address);
  }

  /** Returns an offset of 4 or 8 bytes, at any alignment. */
  public static long readOffset(long address, int width) {
    return width == Long.BYTES ? readLong(address) : ALL.get(ValueLayout.JAVA_INT_UNALIGNED, address);
  }

  /** Copies bytes. */
  public static void copy(long from, long to, long bytes) {
    MemorySegment.copy(ALL, from, ALL, to, bytes);
  }

  /** Returns the next multiple of 64. */
  public static long align(long bytes) {
    return align(bytes, ALIGNMENT);
  }

  /** Returns the next multiple of a power of two. */
  public static long align(long bytes, int alignment) {
    return Math.addExact(bytes, alignment - 1) & -alignment;
  }
}
