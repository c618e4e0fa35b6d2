// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.VarHandle;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;

/**
 * The machine code of {@link ExitGuard}: the handler, the jumps that native code receives for callbacks, and the
 * functions that replace the callbacks. A page of code, which is never writable and executable at the same time, is
 * followed by a page of data. For HotSpot on Linux.
 */
final class ExitPages {
  /** The largest page size of the supported platforms, in bytes. */
  private static final long PAGE = 64 << 10;

  /** Offsets in the page of code: the handler at 0, then the functions that replace callbacks, then the jumps. */
  private static final int ACTIONS = 128;

  private static final int FUNCTION = 16;
  private static final int JUMPS = 256;
  private static final int MOST_CALLBACKS = 32;

  /**
   * Offsets in the page of data, after the handler's data: the cells of the jumps, and a table of the JavaVM's
   * functions.
   */
  private static final int CELLS = 1024;

  private static final int FUNCTIONS = 2048;

  private static final VarHandle WORD = JAVA_LONG.varHandle();

  /** The address of the page of code. */
  private final long code;

  private int callbacks;

  private ExitPages(long code) {
    this.code = code;
  }

  /**
   * Makes the two pages. They exist until the process ends.
   *
   * @throws UnsupportedOperationException if this JVM does not need the guard, or if its structure is not the known
   *     one; the message is the reason
   */
  static ExitPages make() throws IOException {
    String reason = AffectedJvm.whyNot();
    MachineCode machine = MachineCode.ours();
    if (reason != null) throw new UnsupportedOperationException(reason);
    if (machine == null || !Libc.hasAtExit()) {
      String arch = System.getProperty("os.arch");
      throw new UnsupportedOperationException("there is no machine code for " + arch + ", or no __cxa_atexit");
    }
    JavaVmTable vm = JavaVmTable.find();
    long code = Libc.call("mmap", 0, 2 * PAGE, 1 | 2, 2 | 0x20, -1, 0); // READ | WRITE, PRIVATE | ANONYMOUS
    if (code == -1) throw new IllegalStateException("mmap failed");
    try {
      writeCode(machine, code);
      writeData(code + PAGE, vm, code + place(ExitAction.NOTHING));
      execute(machine, code);
    } catch (Throwable t) {
      Libc.call("munmap", code, 2 * PAGE, 0, 0, 0, 0);
      throw t;
    }
    return new ExitPages(code);
  }

  /** Registers the handler. It runs before all handlers that were registered earlier. */
  void registerHandler() {
    Libc.atExit(code, code + PAGE);
  }

  /**
   * Returns the function that native code receives for an upcall stub: a jump to the stub, until the handler has run.
   * If no jump is left, returns the stub.
   */
  synchronized long jump(long stub, ExitAction action) {
    if (callbacks == MOST_CALLBACKS) {
      Faults.warn("there are more callbacks than jumps for them: one is not guarded against the end of the JVM");
      return stub;
    }
    int index = callbacks++;
    MemorySegment data = segment(code + PAGE, PAGE);
    long cell = CELLS + (long) Long.BYTES * index;
    data.set(JAVA_LONG, cell, stub);
    putPair(data, data.get(JAVA_LONG, MachineCode.COUNT), data.address() + cell, code + place(action));
    return code + JUMPS + (long) FUNCTION * index;
  }

  /** Returns the offset of the action's function in the page of code. */
  private static int place(ExitAction action) {
    return ACTIONS + FUNCTION * action.index;
  }

  private static void putPair(MemorySegment data, long index, long address, long word) {
    long pair = MachineCode.PAIRS + 2 * Long.BYTES * index;
    data.set(JAVA_LONG, pair, address);
    data.set(JAVA_LONG, pair + Long.BYTES, word);
    // After the pair, because the handler may run now: a native thread may end the process while the JVM is alive.
    WORD.setRelease(data, (long) MachineCode.COUNT, index + 1);
  }

  private static MemorySegment segment(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  private static void writeCode(MachineCode machine, long address) {
    byte[] code = new byte[JUMPS + FUNCTION * MOST_CALLBACKS];
    write(machine.atExit(), code, 0);
    for (ExitAction action : ExitAction.values()) write(action.code(machine), code, place(action));
    for (int i = 0; i < MOST_CALLBACKS; i++) {
      int jump = JUMPS + FUNCTION * i;
      write(machine.jump((int) PAGE + CELLS + Long.BYTES * i - jump), code, jump);
    }
    NativeHeap.putBytes(address, code);
  }

  private static void write(byte[] function, byte[] code, int place) {
    System.arraycopy(function, 0, code, place, function.length);
  }

  private static void writeData(long address, JavaVmTable vm, long nothing) {
    MemorySegment data = segment(address, PAGE);
    data.set(JAVA_LONG, MachineCode.VM, vm.javaVm());
    data.set(JAVA_LONG, MachineCode.GET_ENV, vm.getEnv());
    MemorySegment.copy(vm.functions(), 0, data, FUNCTIONS, JavaVmTable.BYTES);
    data.set(JAVA_LONG, FUNCTIONS + JavaVmTable.DETACH, nothing);
    putPair(data, 0, vm.javaVm(), address + FUNCTIONS);
  }

  private static void execute(MachineCode machine, long code) {
    int result = (int) Libc.call("mprotect", code, PAGE, 1 | 4, 0, 0, 0); // READ | EXEC
    if (result != 0) throw new IllegalStateException("mprotect rejects executable memory");
    if (machine != MachineCode.AARCH64) return;
    // Linux flushes the instruction cache for memory that becomes executable. Native code calls this function in any
    // case.
    Libc.call(SymbolLookup.libraryLookup("libgcc_s.so.1", Arena.global()).findOrThrow("__clear_cache"), code,
        code + PAGE, 0, 0, 0, 0);
  }
}
