// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A thread's memory for the most frequent queries of HIP: the current device, and the attributes of an address. It is
 * separate from {@link Hip#scratch}, which the caller may be using.
 */
final class HipThread {
  private static final ThreadLocal<HipThread> CURRENT = ThreadLocal.withInitial(HipThread::new);

  private static final int DEVICE_ORDINAL = 9;
  private static final int HOST_POINTER = 4;

  /** The number of attributes that are queried for an address. */
  static final int ASKED = 2;

  private final MemorySegment memory = Arena.ofAuto().allocate(48, 8);

  /** The place that {@code hipGetDevice} writes to. */
  private final MemorySegment device = memory.asSlice(0, 8);

  /** The address of the list of queried attributes. */
  final long attributes = memory.address() + 8;

  /** The address of the list of places for the attributes' values. */
  final long values = memory.address() + 16;

  private HipThread() {
    memory.set(JAVA_INT, 8, DEVICE_ORDINAL);
    memory.set(JAVA_INT, 12, HOST_POINTER);
    memory.set(JAVA_LONG, 16, memory.address() + 32);
    memory.set(JAVA_LONG, 24, memory.address() + 40);
  }

  static HipThread current() {
    return CURRENT.get();
  }

  /** Returns the current device, or HIP's code, negated. */
  int device() {
    int code = Hip.GET_DEVICE.call(device.address());
    return code == Hip.SUCCESS ? device.get(JAVA_INT, 0) : -code;
  }

  /** Returns the device of the queried memory; negative if HIP does not know the memory. */
  int ordinal() {
    return memory.get(JAVA_INT, 32);
  }

  /** Returns the CPU's address of the queried memory if it is pinned, otherwise 0. */
  long hostPointer() {
    return memory.get(JAVA_LONG, 40);
  }
}
