package org.arbalest.device.rocm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What a thread has of ours: a few words for what HIP returns through pointers. */
final class HipThread {
  private static final ThreadLocal<HipThread> CURRENT = ThreadLocal.withInitial(HipThread::new);

  private static final int DEVICE_ORDINAL = 9;
  private static final int HOST_POINTER = 4;

  /** How many attributes of an address are asked for. */
  static final int ASKED = 2;

  private final MemorySegment memory = Arena.ofAuto().allocate(112, 8);
  private final MemorySegment scratch = memory.asSlice(0, 64);

  /** Where {@code hipGetDevice} writes to. */
  private final MemorySegment device = memory.asSlice(64, 8);

  /** The list of attributes that are asked for, and that of the places for their values. */
  final long attributes = memory.address() + 72;

  final long values = memory.address() + 80;

  private HipThread() {
    memory.set(JAVA_INT, 72, DEVICE_ORDINAL);
    memory.set(JAVA_INT, 76, HOST_POINTER);
    memory.set(JAVA_LONG, 80, memory.address() + 96);
    memory.set(JAVA_LONG, 88, memory.address() + 104);
  }

  static HipThread current() {
    return CURRENT.get();
  }

  /** This thread's words; what is in them is good until the next call that uses them. */
  static MemorySegment scratch() {
    return current().scratch;
  }

  /** The current device, or the code that HIP failed with, negated. */
  int device() {
    int code = Hip.getDevice(device.address());
    return code == Hip.SUCCESS ? device.get(JAVA_INT, 0) : -code;
  }

  /** The device that has the memory that was asked for, less than 0 if HIP does not know it. */
  int ordinal() {
    return memory.get(JAVA_INT, 96);
  }

  /** Where the CPU finds it if it is pinned, else 0. */
  long hostPointer() {
    return memory.get(JAVA_LONG, 104);
  }
}
