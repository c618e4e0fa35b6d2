// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.arbalest.device.internal.memory.Faults;
import org.jspecify.annotations.Nullable;

/**
 * When the handler of {@link ExitGuard} is registered: it has to run before the libraries' destructors, and handlers
 * run in the reverse order of their registration.
 */
final class ExitRegistration {
  /** The C library never forgets a handler: after so many native threads, every 64th registers one. */
  private static final int MANY_THREADS = 1024;

  /** Null if there is no handler. */
  private final @Nullable ExitPages pages;

  /** The id of the newest native thread that called back: what attached before it is older. 0 if there was none. */
  private final AtomicLong newest = new AtomicLong();

  private final AtomicInteger threads = new AtomicInteger();

  ExitRegistration(@Nullable ExitPages pages) {
    this.pages = pages;
  }

  /** Now: it runs before what libraries have registered so far. */
  void register() {
    if (pages != null) pages.registerHandler();
  }

  /**
   * Each callback begins with this, and takes no lock (DEV-62): is its thread a native one that is new? Throws nothing
   * that the callback itself would not.
   */
  void called() {
    Thread thread = Thread.currentThread();
    if (thread.threadId() > newest.get()) calledBy(thread);
  }

  /** A thread that FFM attached is a daemon without a context class loader. */
  private void calledBy(Thread thread) {
    try {
      if (thread.isDaemon() && !thread.isVirtual() && thread.getContextClassLoader() == null)
        register(thread.threadId());
    } catch (Throwable t) {
      Faults.report("registering an atexit handler", t);
    }
  }

  private void register(long thread) {
    long known;
    do {
      known = newest.get();
      if (thread <= known) return;
    } while (!newest.compareAndSet(known, thread));
    int count = threads.incrementAndGet();
    if (count <= MANY_THREADS || (count & 63) == 0) register();
  }

  /** Whether a native thread has called back. */
  boolean hadNativeThreads() {
    return newest.get() != 0;
  }
}
