// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;

/**
 * The structure that the exit guard changes: HotSpot's JavaVM, a word that points to a table of three reserved words
 * and five functions (jni.h).
 *
 * @param javaVm the address of the JavaVM, which is in writable memory of libjvm
 * @param functions the table
 */
record JavaVmTable(long javaVm, MemorySegment functions) {
  /** The size of the table, and the offsets of two of its functions, in bytes. */
  static final int BYTES = 64;

  static final int DETACH = 40;
  private static final int GET_ENV = 48;

  private static final int RESERVED = 24;

  /**
   * Finds the structure of this process.
   *
   * @throws UnsupportedOperationException if the structure differs from the known one
   */
  static JavaVmTable find() throws IOException {
    SymbolLookup libjvm = SymbolLookup.libraryLookup("libjvm.so", Arena.global()); // the loaded one: its name is unique
    long created = libjvm.findOrThrow("JNI_GetCreatedJavaVMs").address();
    MemoryMap memory = MemoryMap.read("libjvm");
    if (memory.fileAt(created).isEmpty()) memory = MemoryMap.read(""); // the file that a link leads to has another name
    JavaVmTable table = of(onlyJavaVm(created), memory.fileAt(created), memory);
    table.callGetEnv();
    return table;
  }

  /** Checks the structure of a JavaVM. Reads only memory that is mapped according to the map. */
  static JavaVmTable of(long javaVm, String libjvm, MemoryMap memory) {
    if (libjvm.isEmpty()) throw unknown("the memory of JNI_GetCreatedJavaVMs is of no file");
    if ((javaVm & 7) != 0 || !memory.isMapped(javaVm, Long.BYTES, libjvm, "rw")) {
      throw unknown("the JavaVM is not in writable memory of libjvm");
    }
    long address = MemorySegment.ofAddress(javaVm).reinterpret(Long.BYTES).get(JAVA_LONG, 0);
    if ((address & 7) != 0 || !memory.isMapped(address, BYTES, libjvm, "r")) {
      throw unknown("the JavaVM's table of functions is not in memory of libjvm");
    }
    MemorySegment table = MemorySegment.ofAddress(address).reinterpret(BYTES).asReadOnly();
    for (int place = 0; place < BYTES; place += Long.BYTES) {
      long word = table.get(JAVA_LONG, place);
      if (place < RESERVED ? word != 0 : !memory.isMapped(word, 1, libjvm, "r-x")) {
        throw unknown("the word at " + place + " in its table of functions is " + Long.toHexString(word));
      }
    }
    return new JavaVmTable(javaVm, table);
  }

  /** Returns the address of GetEnv. */
  long getEnv() {
    return functions.get(JAVA_LONG, GET_ENV);
  }

  /** Calls GetEnv, as the handler does. On a thread of the JVM, the result is known. */
  private void callGetEnv() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment env = arena.allocate(JAVA_LONG);
      MemorySegment function = MemorySegment.ofAddress(getEnv());
      int code = (int) Libc.call(function, javaVm, env.address(), MachineCode.JNI_VERSION, 0, 0, 0);
      if (code != 0 || env.get(JAVA_LONG, 0) == 0) throw unknown("its GetEnv returned " + code);
    }
  }

  private static long onlyJavaVm(long created) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment vm = arena.allocate(JAVA_LONG);
      MemorySegment count = arena.allocate(JAVA_INT);
      MemorySegment function = MemorySegment.ofAddress(created);
      int code = (int) Libc.call(function, vm.address(), 1, count.address(), 0, 0, 0);
      if (code != 0 || count.get(JAVA_INT, 0) != 1) throw unknown("JNI_GetCreatedJavaVMs found no JVM");
      return vm.get(JAVA_LONG, 0);
    }
  }

  private static UnsupportedOperationException unknown(String difference) {
    return new UnsupportedOperationException("the JVM's structure is not the known one: " + difference);
  }
}
