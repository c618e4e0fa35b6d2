// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Where HIP answers a thread what it is asked most often: which device is current, and what an address is. Apart from
 * {@link Hip#scratch}, in which the asker may have something.
 */
final class HipThread {
  private static final ThreadLocal<HipThread> CURRENT = ThreadLocal.withInitial(HipThread::new);

  private static final int DEVICE_ORDINAL = 9;
  private static final int HOST_POINTER = 4;

  /** How many attributes of an address are asked for. */
  static final int ASKED = 2;

  private final MemorySegment memory = Arena.ofAuto().allocate(48, 8);

  /** Where {@code hipGetDevice} writes to. */
  private final MemorySegment device = memory.asSlice(0, 8);

  /** The list of attributes that are asked for, and that of the places for their values. */
  final long attributes = memory.address() + 8;

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

  /** The current device, or the code that HIP failed with, negated. */
  int device() {
    int code = Hip.GET_DEVICE.call(device.address());
    return code == Hip.SUCCESS ? device.get(JAVA_INT, 0) : -code;
  }

  /** The device that has the memory that was asked for, less than 0 if HIP does not know it. */
  int ordinal() {
    return memory.get(JAVA_INT, 32);
  }

  /** Where the CPU finds it if it is pinned, else 0. */
  long hostPointer() {
    return memory.get(JAVA_LONG, 40);
  }
}
