// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A way to read words at foreign addresses through the kernel, which returns an error for unreadable memory. */
@FunctionalInterface
interface ForeignWords {
  /** The value of a known word. */
  long KNOWN = 0x5DEECE66D1234567L;

  /** Returns the word at an address; 0 if it cannot be read. */
  long at(long address);

  /**
   * Returns the first way that reads a known word; null if none does. A container's filter may deny
   * {@code process_vm_readv}, but not the process's file of its own memory.
   */
  static @Nullable ForeignWords find() {
    try (Arena arena = Arena.ofConfined()) {
      long known = arena.allocateFrom(JAVA_LONG, KNOWN).address();
      ForeignWords call = byCall();
      if (call != null && call.at(known) == KNOWN) return call;
      ForeignWords file = byFile();
      return file != null && file.at(known) == KNOWN ? file : null;
    }
  }

  private static @Nullable ForeignWords byCall() {
    FunctionDescriptor type =
        FunctionDescriptor.of(JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    Linker linker = Linker.nativeLinker();
    Optional<MemorySegment> function = linker.defaultLookup().find("process_vm_readv");
    if (function.isEmpty()) return null;
    MethodHandle read = linker.downcallHandle(function.get(), type);
    int pid = (int) ProcessHandle.current().pid();
    return address -> {
      MemorySegment scratch = Cl.scratch(); // the word, and two struct iovec
      long at = scratch.address();
      scratch.set(JAVA_LONG, 8, at);
      scratch.set(JAVA_LONG, 16, Long.BYTES);
      scratch.set(JAVA_LONG, 24, address);
      scratch.set(JAVA_LONG, 32, Long.BYTES);
      try {
        long count = (long) read.invokeExact(pid, at + 8, 1L, at + 24, 1L, 0L);
        return count == Long.BYTES ? scratch.get(JAVA_LONG, 0) : 0;
      } catch (Throwable t) {
        throw new AssertionError(t);
      }
    };
  }

  /** Returns null if the process has no such file. The file stays open. */
  private static @Nullable ForeignWords byFile() {
    RandomAccessFile memory; // not a FileChannel, which an interrupted thread would close
    try {
      memory = new RandomAccessFile("/proc/self/mem", "r");
    } catch (IOException _) {
      return null;
    }
    byte[] word = new byte[Long.BYTES];
    return address -> {
      synchronized (word) {
        try {
          memory.seek(address);
          return memory.read(word) < Long.BYTES ? 0 : ByteBuffer.wrap(word).order(ByteOrder.nativeOrder()).getLong();
        } catch (IOException _) {
          return 0; // no memory is there
        }
      }
    };
  }
}
