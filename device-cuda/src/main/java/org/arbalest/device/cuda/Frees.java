// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.cuda;

import java.util.concurrent.LinkedBlockingQueue;

/**
 * A daemon thread for what may not run where it was asked for: calls from a host function, which may not call CUDA, and frees that wait until
 * the GPU is idle, as those of pinned memory do.
 */
final class Frees {
  private static final LinkedBlockingQueue<Runnable> TASKS = new LinkedBlockingQueue<>();
  private static boolean started;

  private Frees() {}

  /** Starts the thread, which may fail: to be called before there is something that must be done. */
  static synchronized void start() {
    if (started) return;
    Thread.ofPlatform().name("arbalest-cuda-frees").daemon().start(Frees::work);
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
        CuErrors.report("work on arbalest-cuda-frees", t);
      }
    }
  }
}
