// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.exit;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.arbalest.device.internal.memory.Faults;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the handler of {@link ExitGuard} is registered. It must run before the libraries' destructors, and
 * handlers run in the reverse order of their registration.
 */
final class ExitRegistration {
  /**
   * The C library never forgets a handler. After this number of native threads, only every 64th thread registers one.
   */
  private static final int MANY_THREADS = 1024;

  /** Null if there is no handler. */
  private final @Nullable ExitPages pages;

  /**
   * The id of the newest native thread that called back; threads that attached before it have smaller ids. 0 if no
   * native thread has called back.
   */
  private final AtomicLong newest = new AtomicLong();

  private final AtomicInteger threads = new AtomicInteger();

  ExitRegistration(@Nullable ExitPages pages) {
    this.pages = pages;
  }

  /**
   * Registers the handler now, so that it runs before all handlers and destructors that libraries have registered so
   * far.
   */
  void register() {
    if (pages != null) pages.registerHandler();
  }

  /**
   * Checks whether the calling thread is a new native thread. Each callback calls this first. It takes no lock
   * (DEV-62), and throws nothing that the callback itself would not throw.
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

  /** Returns whether a native thread has called back. */
  boolean hadNativeThreads() {
    return newest.get() != 0;
  }
}
