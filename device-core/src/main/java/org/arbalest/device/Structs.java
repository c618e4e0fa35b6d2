package org.arbalest.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** Checks the memory that callers hand in for a C struct. */
final class Structs {
  private Structs() {}

  /**
   * The address of a struct.
   *
   * @param segment the struct's memory, or a raw pointer of size 0, whose size is believed
   */
  static long address(MemorySegment segment, StructLayout layout) {
    long address = segment.address();
    long size = segment.byteSize();
    if (!segment.isNative()) {
      throw new IllegalArgumentException(name(layout) + " must be in native memory, not on the heap");
    }
    if (address == 0) throw new IllegalArgumentException(name(layout) + " is NULL");
    if ((address & 7) != 0) {
      throw new IllegalArgumentException(name(layout) + " must be aligned to 8 bytes, which 0x" + Long.toHexString(address) + " is not");
    }
    if (size != 0 && size < layout.byteSize()) {
      throw new IllegalArgumentException(name(layout) + " has " + layout.byteSize() + " bytes, the segment given has " + size);
    }
    if (!segment.scope().isAlive()) throw new IllegalStateException(name(layout) + " is in an arena that was closed");
    return address;
  }

  private static String name(StructLayout layout) {
    return layout.name().orElse("the struct");
  }
}
