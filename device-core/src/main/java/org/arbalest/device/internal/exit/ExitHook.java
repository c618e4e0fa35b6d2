// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.arbalest.device.internal.memory.Faults;
import org.jspecify.annotations.Nullable;

/**
 * The shutdown hook. It registers the handler of {@link ExitGuard} once more, and warns if native threads may keep the
 * process from ending. On request it makes the process end at once instead.
 *
 * <p>The thread whose exit ends the JVM starts the hook. An exit of another thread at the same time has no effect: that
 * thread only waits.
 */
final class ExitHook extends Thread {
  /** The exit code with which a thread requests an immediate end of the process. */
  private static final ThreadLocal<Integer> WANTED = new ThreadLocal<>();

  private final ExitRegistration registration;
  private final Set<String> called;
  private final @Nullable String missing;
  private @Nullable Integer status;

  /**
   * Creates a hook.
   *
   * @param called the names of the methods that native code calls back; more names may be added later
   * @param missing the reason why there is no handler; null if there is a handler
   */
  ExitHook(ExitRegistration registration, Set<String> called, @Nullable String missing) {
    super("arbalest-exit");
    this.registration = registration;
    this.called = called;
    this.missing = missing;
  }

  /**
   * Requests that the process ends with this exit code, without the libraries' handlers, if this thread's exit ends the
   * JVM.
   */
  static void endAtOnce(int status) {
    WANTED.set(status);
  }

  @Override
  public void start() {
    status = WANTED.get();
    super.start();
  }

  @Override
  public void run() {
    if (status == null) {
      leaving();
    } else {
      leaveBy(status);
    }
  }

  private static void leaveBy(int status) {
    Libc.find("_exit").map(MemorySegment::address).ifPresent(exit -> Libc.atExit(exit, status));
  }

  private void leaving() {
    registration.register();
    if (registration.hadNativeThreads()) warn();
    // After the warnings, because the hook of java.util.logging closes the log at the same time.
    if (missing != null) Faults.debug("the exit guard is off: " + missing);
  }

  private void warn() {
    Map<Thread, StackTraceElement[]> stacks = Thread.getAllStackTraces();
    if (missing != null && mayHang() && !isDestroyed(stacks)) {
      Faults.warn(
          "native threads called back, and the JVM exits: if a library joins one of them in a static destructor, the "
              + "process does not end"
              + " (JDK-8391662), except by ProcessExit.exit. Nothing guards against it here: " + missing);
    }
    stacks.forEach(this::warnOfCallback);
  }

  /**
   * Returns whether the process may hang. On Windows it cannot: Windows ends other threads before a library could join
   * them.
   */
  private static boolean mayHang() {
    return AffectedJvm.hasDefect(Runtime.version().feature()) && Libc.hasAtExit();
  }

  /**
   * Returns whether the JVM is being destroyed, as after a return from main, and not exited: then threads can detach
   * from it.
   */
  private static boolean isDestroyed(Map<Thread, StackTraceElement[]> stacks) {
    return stacks.values().stream()
        .flatMap(Stream::of)
        .anyMatch(
            frame -> frame.getClassName().equals("java.lang.Shutdown") && frame.getMethodName().equals("shutdown"));
  }

  /**
   * Warns about a native thread that is in a callback: such a thread has the callback at the bottom of its stack, above
   * the JDK's own frames.
   */
  private void warnOfCallback(Thread thread, StackTraceElement[] stack) {
    int bottom = stack.length - 1;
    while (bottom >= 0 && isPartOfUpcall(stack[bottom].getClassName())) bottom--;
    if (bottom < 0 || !called.contains(stack[bottom].getClassName() + "." + stack[bottom].getMethodName())) return;
    Faults.warn(
        "the native thread " + thread.getName() + " is in " + stack[bottom].getMethodName()
            + " as the JVM shuts down. If it is still there when"
            + " the JVM is over, and a library joins it in a static destructor, the process does not end, except by "
            + "ProcessExit.exit");
  }

  private static boolean isPartOfUpcall(String name) {
    return name.startsWith("java.lang.invoke.") || name.startsWith("jdk.internal.foreign.");
  }
}
