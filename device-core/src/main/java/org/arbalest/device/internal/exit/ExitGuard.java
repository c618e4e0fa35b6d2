// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The entry point of this package: makes the C functions that native code calls back, and lets the process end after
 * native code has called them.
 *
 * <p>After the JVM has ended, the process still runs its {@code atexit} handlers and the static destructors of its
 * libraries. A thread that FFM attached detaches when it ends. In HotSpot 25 to 27 that detach waits for ever once the
 * JVM has ended (JDK-8391662). A library that joins its threads in a static destructor, as Arrow C++ does, therefore
 * keeps the process from ending. An upcall at that time blocks, or aborts the process. The guard registers an
 * {@code atexit} handler ({@link ExitPages}). If the JVM has ended, that handler replaces the JVM's function for
 * detaching by one that does nothing. It also replaces each callback by a function that stays outside of the JVM
 * ({@link ExitAction}).
 *
 * <p>The guard registers the handler when the first callback is made and at the start of the shutdown
 * ({@link ExitHook}). {@code Runtime.halt} runs no hook. Therefore the guard also registers the handler whenever a new
 * native thread calls back ({@link ExitRegistration}): a library registers its destructor when it makes its threads.
 *
 * <p>The guard is on for the JVMs that need it ({@link AffectedJvm}), if the structure that it changes is the known one
 * ({@link JavaVmTable}). Otherwise, and with {@code -Dorg.arbalest.exitGuard=false}, native code receives the plain
 * upcall stubs, and {@link #whyOff} returns the reason.
 */
public final class ExitGuard {
  /** The system property that turns the guard off. */
  private static final String PROPERTY = "org.arbalest.exitGuard";

  /**
   * The maximum number of jumps for backends. Core's own callbacks are made later, and each of them must have a jump.
   */
  private static final int MOST_OF_BACKENDS = 12;

  private static final AtomicInteger OF_BACKENDS = new AtomicInteger();

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle NOTICE =
      method(MethodHandles.lookup(), "called", MethodType.methodType(void.class));

  /** The names of the methods that native code calls back. */
  private static final Set<String> CALLED = ConcurrentHashMap.newKeySet();

  /** Null if the guard is off. */
  private static final @Nullable ExitPages PAGES;

  /** The reason why the guard is off; null if it is on. */
  private static final @Nullable String WHY_OFF;

  private static final ExitRegistration REGISTRATION;

  static {
    ExitPages pages = null;
    String whyOff = null;
    try {
      if (System.getProperty(PROPERTY, "true").equals("false"))
        throw new UnsupportedOperationException(PROPERTY + "=false");
      pages = ExitPages.make();
    } catch (Throwable t) {
      whyOff = t.getMessage() == null ? t.toString() : t.getMessage();
    }
    PAGES = pages;
    WHY_OFF = whyOff;
    REGISTRATION = new ExitRegistration(pages);
    REGISTRATION.register();
    try {
      Runtime.getRuntime().addShutdownHook(new ExitHook(REGISTRATION, CALLED, whyOff));
    } catch (IllegalStateException _) {
      // The shutdown has begun, so no hook can be added.
    }
  }

  private ExitGuard() {}

  /** Returns the reason why the guard is off in this process; empty if it is on. */
  public static Optional<String> whyOff() {
    return Optional.ofNullable(WHY_OFF);
  }

  /**
   * Returns the address of a C function that calls a static method of core. The function exists until the process ends.
   * The library makes each upcall stub by this method or its overload.
   */
  public static long stub(Lookup lookup, String method, FunctionDescriptor type, ExitAction action) {
    return guard(upcallStub(lookup, method, type), action);
  }

  /**
   * Returns the same for a backend. Backends may make many callbacks; when no jump for backends is left, the callback
   * is the plain upcall stub.
   */
  public static long stub(Lookup lookup, String method, FunctionDescriptor type) {
    ValueLayout result = type.returnLayout().orElse(JAVA_LONG) instanceof ValueLayout value ? value : null;
    if (result == null || result.carrier() == double.class || result.carrier() == float.class) {
      throw new IllegalArgumentException(
          method + " is to return nothing, a whole number or a pointer, not " + type.returnLayout().orElseThrow());
    }
    long stub = upcallStub(lookup, method, type);
    return OF_BACKENDS.getAndIncrement() < MOST_OF_BACKENDS ? guard(stub, ExitAction.NOTHING) : stub;
  }

  private static long guard(long stub, ExitAction action) {
    return PAGES == null ? stub : PAGES.jump(stub, action);
  }

  private static long upcallStub(Lookup lookup, String name, FunctionDescriptor type) {
    MethodHandle target = MethodHandles.foldArguments(method(lookup, name, type.toMethodType()), NOTICE);
    CALLED.add(lookup.lookupClass().getName().concat(".").concat(name)); // "+" would generate code (decision 47)
    return LINKER.upcallStub(target, type, Arena.global()).address();
  }

  private static MethodHandle method(Lookup lookup, String name, MethodType type) {
    try {
      return lookup.findStatic(lookup.lookupClass(), name, type);
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(
          lookup.lookupClass().getName() + " has no static method " + name + " of the type " + type, e);
    }
  }

  /** Every callback calls this first. */
  @SuppressWarnings("UnusedMethod") // NOTICE finds it by name
  private static void called() {
    REGISTRATION.called();
  }

  /**
   * Requests that the process ends with this exit code, without the libraries' handlers, if this thread's exit ends the
   * JVM.
   */
  public static void endAtOnce(int status) {
    ExitHook.endAtOnce(status);
  }
}
