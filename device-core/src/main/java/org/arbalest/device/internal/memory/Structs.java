// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * Checks the memory that callers hand in for a C struct.
 *
 * <p>An address keeps nothing alive: the collector frees a segment of an automatic arena as soon as nobody refers to
 * it, in the middle of the call even. So whoever takes an address here ends with a
 * {@link java.lang.ref.Reference#reachabilityFence} of its segment, after the last access, however it ends (OWN-14).
 */
public final class Structs {
  private Structs() {}

  /**
   * The address of a struct.
   *
   * @param segment the struct's memory, or a raw pointer of size 0, whose size is believed
   * @throws IllegalStateException if its arena was closed. One that is closed while the call runs cannot be told
   * @throws WrongThreadException if its arena is confined to another thread
   */
  public static long address(MemorySegment segment, StructLayout layout) {
    long address = segment.address();
    long size = segment.byteSize();
    if (!segment.isNative()) {
      throw new IllegalArgumentException(name(layout) + " must be in native memory, not on the heap");
    }
    if (address == 0) throw new IllegalArgumentException(name(layout) + " is NULL");
    if (address < 0) {
      throw new IllegalArgumentException(name(layout) + " must be within the 63 bits that Java reaches, which 0x"
          + Long.toHexString(address) + " is not");
    }
    if ((address & 7) != 0) {
      throw new IllegalArgumentException(
          name(layout) + " must be aligned to 8 bytes, which 0x" + Long.toHexString(address) + " is not");
    }
    if (size != 0 && size < layout.byteSize()) {
      throw new IllegalArgumentException(
          name(layout) + " has " + layout.byteSize() + " bytes, the segment given has " + size);
    }
    if (!segment.scope().isAlive()) throw new IllegalStateException(name(layout) + " is in an arena that was closed");
    if (!segment.isAccessibleBy(Thread.currentThread())) {
      throw new WrongThreadException(name(layout) + " is in an arena that is confined to another thread");
    }
    return address;
  }

  private static String name(StructLayout layout) {
    return layout.name().orElse("the struct");
  }
}
