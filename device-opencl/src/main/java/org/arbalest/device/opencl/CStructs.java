// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.ref.Reference;

/** Memory of native structs that callers pass in. */
final class CStructs {
  private CStructs() {}

  /** Returns a struct's address. Rejects memory that cannot contain the struct, before any access. */
  static long address(MemorySegment struct, StructLayout layout) {
    String name = layout.name().orElseThrow();
    long size = struct.byteSize();
    if (!struct.isNative() || struct.address() == 0 || (struct.address() & 7) != 0
        || (size != 0 && size < layout.byteSize())) {
      throw new IllegalArgumentException("no " + name + " of " + layout.byteSize() + " aligned bytes is at " + struct);
    }
    if (!struct.scope().isAlive()) throw new IllegalStateException("the " + name + " is in an arena that was closed");
    if (!struct.isAccessibleBy(Thread.currentThread())) {
      throw new WrongThreadException("the " + name + " is in an arena that is confined to another thread");
    }
    return struct.address();
  }

  /**
   * Returns a struct with its size, also if native code supplied only the address. Rejects the same memory as
   * {@link #address}.
   */
  static MemorySegment sized(MemorySegment struct, StructLayout layout) {
    try {
      address(struct, layout);
      return struct.byteSize() == 0 ? struct.reinterpret(layout.byteSize()) : struct;
    } finally {
      Reference.reachabilityFence(struct);
    }
  }
}
