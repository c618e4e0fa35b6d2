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
 * The door of this package: makes the C functions that native code calls back, and lets the process end after they
 * were called.
 *
 * <p>After the JVM has ended, the process still runs its {@code atexit} handlers and the static destructors of its
 * libraries. A thread that FFM attached detaches when it ends. In HotSpot 25 to 27 that waits for ever once the JVM has
 * ended (JDK-8391662), so a library that joins its threads in a static destructor, as Arrow C++ does, keeps the process
 * from ending. An upcall at that time blocks, or aborts the process. The guard registers an {@code atexit} handler
 * ({@link ExitPages}). If the JVM has ended, that handler replaces the JVM's function for detaching by one that does
 * nothing, and each callback by a function that stays outside of the JVM ({@link ExitAction}).
 *
 * <p>The handler is registered when the first callback is made, at the start of the shutdown ({@link ExitHook}), and,
 * since {@code Runtime.halt} runs no hook, whenever a new native thread calls back ({@link ExitRegistration}): a
 * library registers its destructor when it makes its threads.
 *
 * <p>The guard is on for the JVMs that need it ({@link AffectedJvm}), if the structure that it changes is the known one
 * ({@link JavaVmTable}). Otherwise, and with {@code -Dorg.arbalest.exitGuard=false}, C gets the plain upcall stubs, and
 * {@link #whyOff} says why.
 */
public final class ExitGuard {
  /** The system property that turns the guard off. */
  private static final String PROPERTY = "org.arbalest.exitGuard";

  /** So many jumps at most are for backends: core's own are made later, and all have one. */
  private static final int MOST_OF_BACKENDS = 12;

  private static final AtomicInteger OF_BACKENDS = new AtomicInteger();

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle NOTICE =
      method(MethodHandles.lookup(), "called", MethodType.methodType(void.class));

  /** The methods that are called back. */
  private static final Set<String> CALLED = ConcurrentHashMap.newKeySet();

  /** Null if the guard is off. */
  private static final @Nullable ExitPages PAGES;

  /** Why the guard is off; null if it is on. */
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
      // The shutdown has begun.
    }
  }

  private ExitGuard() {}

  /** Returns why the guard is off in this process; empty if it is on. */
  public static Optional<String> whyOff() {
    return Optional.ofNullable(WHY_OFF);
  }

  /**
   * The address of a C function that calls a static method of core's, for the life of the process. Every upcall stub is
   * made here.
   */
  public static long stub(Lookup lookup, String method, FunctionDescriptor type, ExitAction action) {
    return guard(upcallStub(lookup, method, type), action);
  }

  /** The same for a backend, of which many may want many: what has no jump any more goes without. */
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
    CALLED.add(lookup.lookupClass().getName() + "." + name);
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

  /** Every callback begins with this. */
  @SuppressWarnings("UnusedMethod") // NOTICE finds it by name
  private static void called() {
    REGISTRATION.called();
  }

  /**
   * If this thread's exit is the one by which the JVM ends, the process ends with this exit code, and without the
   * libraries' handlers.
   */
  public static void endAtOnce(int status) {
    ExitHook.endAtOnce(status);
  }
}
