// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * The recognition of OpenCL's objects. With the loader's extension (cl_khr_icd), every object begins with a pointer to
 * its platform's table of functions.
 *
 * <p>A foreign address is read by a call of the kernel, which returns an error for an address that cannot be read.
 * Where no such call exists, nothing is recognized.
 */
final class ClObjects {
  private static final @Nullable MethodHandle PROCESS_VM_READV = find();
  private static final int PID = (int) ProcessHandle.current().pid();

  private ClObjects() {}

  /**
   * Returns whether an address is that of a {@code cl_mem}, of the same platform as a known object. Memory that
   * contained an object earlier may begin like one, so the method also queries the platform.
   */
  static boolean isMemObject(long address, long known) {
    if ((address & 7) != 0) return false;
    long first = word(address);
    if (first == 0 || first != word(known)) return false;
    MemorySegment scratch = Cl.scratch();
    int code = Cl.getMemObjectInfo(address, Cl.MEM_TYPE, Integer.BYTES, scratch.address());
    return code == 0 && scratch.get(JAVA_INT, 0) == Cl.MEM_OBJECT_BUFFER;
  }

  /** Returns whether objects can be recognized. */
  static boolean canIdentify() {
    return PROCESS_VM_READV != null;
  }

  /** Returns the word at an address; 0 if it cannot be read. */
  static long word(long address) {
    MethodHandle read = PROCESS_VM_READV;
    if (read == null) return 0;
    MemorySegment scratch = Cl.scratch(); // the word, and two struct iovec
    long at = scratch.address();
    scratch.set(JAVA_LONG, 8, at);
    scratch.set(JAVA_LONG, 16, Long.BYTES);
    scratch.set(JAVA_LONG, 24, address);
    scratch.set(JAVA_LONG, 32, Long.BYTES);
    try {
      long count = (long) read.invokeExact(PID, at + 8, 1L, at + 24, 1L, 0L);
      return count == Long.BYTES ? scratch.get(JAVA_LONG, 0) : 0;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  private static @Nullable MethodHandle find() {
    FunctionDescriptor type =
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    Linker linker = Linker.nativeLinker();
    return linker.defaultLookup().find("process_vm_readv").map(f -> linker.downcallHandle(f, type)).orElse(null);
  }
}
