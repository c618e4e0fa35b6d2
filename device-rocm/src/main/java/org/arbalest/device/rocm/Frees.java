// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

import java.util.concurrent.LinkedBlockingQueue;

/** A daemon thread for what waits until the GPU is idle, or a stream empty: freeing pinned memory, destroying streams. */
final class Frees {
  private static final LinkedBlockingQueue<Runnable> TASKS = new LinkedBlockingQueue<>();
  private static boolean started;

  private Frees() {}

  /** Starts the thread, which may fail: to be called before there is something that must be done. */
  static synchronized void start() {
    if (started) return;
    Thread.ofPlatform().name("arbalest-rocm-frees").daemon().start(Frees::work);
    started = true;
  }

  /** Does not block. */
  static void submit(Runnable task) {
    TASKS.add(task);
  }

  /** Waits until what was submitted before is done. */
  static void drain() {
    var done = new java.util.concurrent.CountDownLatch(1);
    submit(done::countDown);
    boolean interrupted = false;
    while (true) {
      try {
        done.await();
        break;
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) Thread.currentThread().interrupt();
  }

  private static void work() {
    while (true) {
      try {
        TASKS.take().run();
      } catch (Throwable t) {
        HipErrors.report("work on arbalest-rocm-frees", t);
      }
    }
  }
}
