// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.opencl;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * Gives the JVM its signal handlers back. A runtime that compiles with LLVM, as PoCL does, puts LLVM's in their place
 * when it is loaded: each for one signal, after which the next kills the process, and the JVM has its threads stopped
 * by SIGSEGV, several at a time. Linux only. SIGFPE is left to the runtime, which tells its own from others'.
 */
final class SignalHandlers implements AutoCloseable {
  private static final int[] SIGNALS = {4, 5, 7, 11}; // SIGILL, SIGTRAP, SIGBUS, SIGSEGV

  /** More than a struct sigaction is on any of Linux's platforms. */
  private static final long ROOM = 256;

  private static final @Nullable MethodHandle SIGACTION = find();

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment saved = arena.allocate(ROOM * SIGNALS.length, 8);

  private SignalHandlers() {}

  /** What they are now; closing brings them back. */
  static SignalHandlers save() {
    SignalHandlers handlers = new SignalHandlers();
    for (int i = 0; i < SIGNALS.length; i++) sigaction(SIGNALS[i], 0, handlers.saved.address() + ROOM * i);
    return handlers;
  }

  @Override
  public void close() {
    for (int i = 0; i < SIGNALS.length; i++) sigaction(SIGNALS[i], saved.address() + ROOM * i, 0);
    arena.close();
  }

  /** The address of a signal's handler, or 0 if it is not known. */
  static long handlerOf(int signal) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment action = arena.allocate(ROOM, 8);
      sigaction(signal, 0, action.address());
      return action.get(JAVA_LONG, 0);
    }
  }

  private static void sigaction(int signal, long action, long old) {
    MethodHandle function = SIGACTION;
    if (function == null) return;
    try {
      int code = (int) function.invokeExact(signal, action, old);
      if (code != 0) throw new IllegalStateException("sigaction of signal " + signal + " failed");
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  private static @Nullable MethodHandle find() {
    if (!System.getProperty("os.name", "").equals("Linux")) return null;
    Linker linker = Linker.nativeLinker();
    FunctionDescriptor type = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    return linker.defaultLookup().find("sigaction").map(f -> linker.downcallHandle(f, type)).orElse(null);
  }
}
