// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * Checks the memory that callers pass for a C struct.
 *
 * <p>An address keeps no memory reachable. The collector may free a segment of an automatic arena as soon as no code
 * refers to it, even during the call. A method that takes an address here must therefore end with a
 * {@link java.lang.ref.Reference#reachabilityFence} of the segment, after the last access, also when it throws
 * (OWN-14).
 */
public final class Structs {
  private Structs() {}

  /**
   * Returns the address of a struct.
   *
   * @param segment the struct's memory, or a raw pointer of size 0, whose size is not checked
   * @throws IllegalStateException if the segment's arena is closed. An arena that is closed during the call is not
   *     detected
   * @throws WrongThreadException if its arena is confined to another thread
   */
  public static long address(MemorySegment segment, StructLayout layout) {
    return address(segment, layout.name().orElse("the struct"), layout.byteSize());
  }

  /** Does the same for a struct of a name and a size in bytes. It needs no layout, which takes long to make. */
  public static long address(MemorySegment segment, String name, long bytes) {
    long address = segment.address();
    long size = segment.byteSize();
    if (!segment.isNative()) {
      throw new IllegalArgumentException(name + " must be in native memory, not on the heap");
    }
    if (address == 0) throw new IllegalArgumentException(name + " is NULL");
    if (address < 0) {
      throw new IllegalArgumentException(name + " must be at an address below 2^63, which 0x"
          + Long.toHexString(address) + " is not");
    }
    if ((address & 7) != 0) {
      throw new IllegalArgumentException(
          name + " must be aligned to 8 bytes, which 0x" + Long.toHexString(address) + " is not");
    }
    if (size != 0 && size < bytes) {
      throw new IllegalArgumentException(
          name + " has " + bytes + " bytes, the segment given has " + size);
    }
    if (!segment.scope().isAlive()) throw new IllegalStateException(name + " is in an arena that was closed");
    if (!segment.isAccessibleBy(Thread.currentThread())) {
      throw new WrongThreadException(name + " is in an arena that is confined to another thread");
    }
    return address;
  }
}
