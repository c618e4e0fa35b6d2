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
 * The JVM's signal handlers, saved and later restored. Linux only.
 *
 * <p>A runtime that compiles with LLVM, such as PoCL, replaces them by those of LLVM when it is loaded. Each of those
 * serves one signal, and the next signal kills the process. The JVM stops its threads by SIGSEGV, several at a time.
 *
 * <p>SIGFPE is left to the runtime, which distinguishes its own signals from others.
 */
final class SignalHandlers implements AutoCloseable {
  private static final int[] SIGNALS = {4, 5, 7, 11}; // SIGILL, SIGTRAP, SIGBUS, SIGSEGV

  /** The space for one {@code struct sigaction}, in bytes: more than it needs on any platform of Linux. */
  private static final long ROOM = 256;

  private static final @Nullable MethodHandle SIGACTION = find();

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment saved = arena.allocate(ROOM * SIGNALS.length, 8);

  private SignalHandlers() {}

  /** Saves the current handlers. {@link #close} restores them. */
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

  /** Returns the address of a signal's handler, or 0 if it is unknown. */
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
