// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.calls;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import org.arbalest.device.internal.memory.Faults;

/**
 * The handler of {@link ExitGuard}, the jumps that C has for callbacks, and what these become: a page of code that can never be written and executed
 * at the same time, and behind it one of data. For HotSpot on Linux.
 */
final class ExitPages {
  /** The largest page of the platforms. */
  private static final long PAGE = 64 << 10;

  /** In the page of code: the handler, then what callbacks become, then the jumps. */
  private static final int AFTERWARDS = 128;

  private static final int FUNCTION = 16;
  private static final int JUMPS = 256;
  private static final int MOST_CALLBACKS = 32;

  /** In the page of data, behind what the handler reads: the cells, and a table of the JavaVM's functions. */
  private static final int CELLS = 1024;

  private static final int FUNCTIONS = 2048;
  private static final int FUNCTIONS_SIZE = 64;
  private static final int DETACH = 40;
  private static final int GET_ENV = 48;

  /** The address of the page of code. */
  private final long code;

  private int callbacks;

  private ExitPages(long code) {
    this.code = code;
  }

  /** Makes them, for the life of the process; throws where they are of no use. */
  static ExitPages make() throws IOException {
    MachineCode machine = MachineCode.ours();
    if (!System.getProperty("os.name", "").equals("Linux") || machine == null || !Libc.hasAtExit()) {
      throw new UnsupportedOperationException(System.getProperty("os.name") + " on " + System.getProperty("os.arch") + " is not one it is for");
    }
    String vm = System.getProperty("java.vm.name", "");
    if (!vm.contains("OpenJDK") && !vm.contains("HotSpot")) throw new UnsupportedOperationException(vm + " is not HotSpot");
    long javaVm = javaVm();
    long code = Libc.call("mmap", 0, 2 * PAGE, 1 | 2, 2 | 0x20, -1, 0); // READ | WRITE, PRIVATE | ANONYMOUS
    if (code == -1) throw new IllegalStateException("mmap failed");
    try {
      writeCode(machine, segment(code, PAGE));
      writeData(code + PAGE, javaVm, code + place(Afterwards.NOTHING));
      execute(machine, code);
    } catch (Throwable t) {
      Libc.call("munmap", code, 2 * PAGE, 0, 0, 0, 0);
      throw t;
    }
    return new ExitPages(code);
  }

  /** Registers the handler, to run before what was registered earlier. */
  void registerHandler() {
    Libc.atExit(code, code + PAGE);
  }

  /** What C gets for an upcall stub: a jump to it, until the handler has run. Where there is none left, the stub itself. */
  synchronized long jump(long stub, Afterwards afterwards) {
    if (callbacks == MOST_CALLBACKS) {
      Faults.warn("there are more callbacks than jumps for them: one is not guarded against the end of the JVM");
      return stub;
    }
    int index = callbacks++;
    MemorySegment data = segment(code + PAGE, PAGE);
    long cell = CELLS + (long) Long.BYTES * index;
    data.set(JAVA_LONG, cell, stub);
    putPair(data, data.get(JAVA_LONG, MachineCode.COUNT), data.address() + cell, code + place(afterwards));
    return code + JUMPS + (long) FUNCTION * index;
  }

  /** Where the function that a callback becomes lies in the page of code. */
  private static int place(Afterwards afterwards) {
    return AFTERWARDS + FUNCTION * afterwards.index;
  }

  private static void putPair(MemorySegment data, long index, long address, long word) {
    long pair = MachineCode.PAIRS + 2 * Long.BYTES * index;
    data.set(JAVA_LONG, pair, address);
    data.set(JAVA_LONG, pair + Long.BYTES, word);
    data.set(JAVA_LONG, MachineCode.COUNT, index + 1);
  }

  private static MemorySegment segment(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  private static long javaVm() {
    SymbolLookup libjvm = SymbolLookup.libraryLookup("libjvm.so", Arena.global()); // the one that is loaded: its name is unique
    MemorySegment created = libjvm.findOrThrow("JNI_GetCreatedJavaVMs");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment vm = arena.allocate(JAVA_LONG);
      MemorySegment count = arena.allocate(JAVA_INT);
      int code = (int) Libc.call(created, vm.address(), 1, count.address(), 0, 0, 0);
      if (code != 0 || count.get(JAVA_INT, 0) != 1) throw new IllegalStateException("JNI_GetCreatedJavaVMs found no JVM");
      return vm.get(JAVA_LONG, 0);
    }
  }

  private static void writeCode(MachineCode machine, MemorySegment code) {
    write(machine.atExit(), code, 0);
    for (Afterwards afterwards : Afterwards.values()) write(afterwards.code(machine), code, place(afterwards));
    for (int i = 0; i < MOST_CALLBACKS; i++) {
      int jump = JUMPS + FUNCTION * i;
      write(machine.jump((int) PAGE + CELLS + Long.BYTES * i - jump), code, jump);
    }
  }

  private static void write(byte[] function, MemorySegment code, long place) {
    MemorySegment.copy(function, 0, code, JAVA_BYTE, place, function.length);
  }

  private static void writeData(long address, long javaVm, long nothing) throws IOException {
    MemorySegment data = segment(address, PAGE);
    MemorySegment functions = segment(segment(javaVm, Long.BYTES).get(JAVA_LONG, 0), FUNCTIONS_SIZE);
    data.set(JAVA_LONG, MachineCode.VM, javaVm);
    data.set(JAVA_LONG, MachineCode.GET_ENV, functions.get(JAVA_LONG, GET_ENV));
    MemorySegment.copy(functions, 0, data, FUNCTIONS, FUNCTIONS_SIZE);
    data.set(JAVA_LONG, FUNCTIONS + DETACH, nothing);
    if (!isWritable(javaVm)) throw new IllegalStateException("the JavaVM cannot be written to");
    putPair(data, 0, javaVm, address + FUNCTIONS);
  }

  /** Whether writing to an address is no fault: what the kernel says of its page. */
  private static boolean isWritable(long address) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
      int dash = line.indexOf('-');
      int space = line.indexOf(' ');
      long start = Long.parseUnsignedLong(line, 0, dash, 16);
      long end = Long.parseUnsignedLong(line, dash + 1, space, 16);
      if (Long.compareUnsigned(start, address) <= 0 && Long.compareUnsigned(address, end) < 0) return line.startsWith("rw", space + 1);
    }
    return false;
  }

  private static void execute(MachineCode machine, long code) {
    int result = (int) Libc.call("mprotect", code, PAGE, 1 | 4, 0, 0, 0); // READ | EXEC
    if (result != 0) throw new IllegalStateException("mprotect refuses executable memory");
    if (machine != MachineCode.AARCH64) return;
    // Linux itself flushes what becomes executable; this is what C does in any case.
    Libc.call(SymbolLookup.libraryLookup("libgcc_s.so.1", Arena.global()).findOrThrow("__clear_cache"), code, code + PAGE, 0, 0, 0, 0);
  }
}
