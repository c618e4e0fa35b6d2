// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The recognition of OpenCL's objects. With the loader's extension (cl_khr_icd), every object begins with a pointer to
 * its platform's table of functions.
 *
 * <p>A foreign address is read through the kernel. Where no way works, nothing is recognized, and the platform is
 * queried about each handle that is declared as a {@code cl_mem}.
 */
final class ClObjects {
  private static final @Nullable ForeignWords WORDS = ForeignWords.find();

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
    return WORDS != null;
  }

  /** Returns the word at an address; 0 if it cannot be read. */
  static long word(long address) {
    ForeignWords words = WORDS;
    return words == null ? 0 : words.at(address);
  }
}
