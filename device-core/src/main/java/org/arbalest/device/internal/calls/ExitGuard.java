// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.calls;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of native threads and of callbacks when the JVM is over and the process still runs its {@code atexit} handlers and the static
 * destructors of its libraries.
 *
 * <p>A thread that FFM attached detaches when it ends, and in HotSpot that waits for ever once the JVM has exited (JDK-8391662): a library that
 * joins its threads in a static destructor, as Arrow C++ does, never lets the process go. And an upcall into a JVM that is over blocks, or
 * aborts the process. So an {@code atexit} handler of ours ({@link ExitPages}), once the JVM is over, makes detaching do nothing, and turns what C
 * has for callbacks to functions that stay outside: a release marks the struct as released, everything else refuses.
 *
 * <p>The handler is registered at the start of the shutdown ({@link ExitHook}), and, since {@code Runtime.halt} runs no hook, whenever a native
 * thread calls back that did not before ({@link ExitRegistration}): a library registers its destructor when it makes its threads.
 *
 * <p>C gets the address of a jump through a cell. For HotSpot on Linux, x86-64 and aarch64; elsewhere, and with {@code
 * -Dorg.arbalest.exitGuard=false}, C gets the upcall stub itself.
 */
public final class ExitGuard {
  /** The property that turns it off. */
  private static final String PROPERTY = "org.arbalest.exitGuard";

  /** So many jumps at most are for backends: core's own are made later, and all have one. */
  private static final int MOST_OF_BACKENDS = 12;

  private static final AtomicInteger OF_BACKENDS = new AtomicInteger();

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle NOTICE = method(MethodHandles.lookup(), "called", MethodType.methodType(void.class));

  /** The methods that are called back. */
  private static final Set<String> CALLED = ConcurrentHashMap.newKeySet();

  /** Null if there is no guard. */
  private static final @Nullable ExitPages PAGES;

  private static final ExitRegistration REGISTRATION;

  static {
    ExitPages pages = null;
    String missing = null;
    try {
      if (System.getProperty(PROPERTY, "true").equals("false")) throw new UnsupportedOperationException(PROPERTY + "=false");
      pages = ExitPages.make();
    } catch (Throwable t) {
      missing = t.getMessage() == null ? t.toString() : t.getMessage();
    }
    PAGES = pages;
    REGISTRATION = new ExitRegistration(pages);
    REGISTRATION.register();
    try {
      Runtime.getRuntime().addShutdownHook(new ExitHook(REGISTRATION, CALLED, missing));
    } catch (IllegalStateException _) {
      // The shutdown has begun.
    }
  }

  private ExitGuard() {}

  /** The address of a C function that calls a static method of core's, for the life of the process. Every upcall stub is made here. */
  public static long stub(Lookup lookup, String method, FunctionDescriptor type, Afterwards afterwards) {
    return guard(upcallStub(lookup, method, type), afterwards);
  }

  /** The same for a backend, of which many may want many: what has no jump any more goes without. */
  public static long stub(Lookup lookup, String method, FunctionDescriptor type) {
    ValueLayout result = type.returnLayout().orElse(JAVA_LONG) instanceof ValueLayout value ? value : null;
    if (result == null || result.carrier() == double.class || result.carrier() == float.class) {
      throw new IllegalArgumentException(method + " is to return nothing, a whole number or a pointer, not " + type.returnLayout().orElseThrow());
    }
    long stub = upcallStub(lookup, method, type);
    return OF_BACKENDS.getAndIncrement() < MOST_OF_BACKENDS ? guard(stub, Afterwards.NOTHING) : stub;
  }

  private static long guard(long stub, Afterwards afterwards) {
    return PAGES == null ? stub : PAGES.jump(stub, afterwards);
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
      throw new IllegalArgumentException(lookup.lookupClass().getName() + " has no static method " + name + " of the type " + type, e);
    }
  }

  /** Every callback begins with this. */
  @SuppressWarnings("UnusedMethod") // NOTICE finds it by name
  private static void called() {
    REGISTRATION.called();
  }

  /** If this thread's exit is the one by which the JVM ends, the process ends with this exit code, and without the libraries' handlers. */
  public static void endAtOnce(int status) {
    ExitHook.endAtOnce(status);
  }
}
