// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.concurrent.LinkedTransferQueue;
import org.arbalest.device.internal.memory.Faults;

/**
 * A daemon thread for work that must not run on the thread of a driver's callback. A CUDA callback must not call CUDA,
 * and an OpenCL callback holds up the device while it is busy. The thread is started when the first work may come.
 */
public final class Worker {
  /** Notifies the waiting code that an event is over. */
  static final Worker EVENTS = new Worker("arbalest-events");

  /** Releases the memory that queued work has used. Runs the release callbacks of other libraries. */
  public static final Worker RELEASES = new Worker("arbalest-releases");

  private final String name;
  private final LinkedTransferQueue<Runnable> tasks = new LinkedTransferQueue<>();
  private volatile boolean started;

  private Worker(String name) {
    this.name = name;
  }

  /** Starts the thread, which may fail. The caller calls this before it creates work that must be done. */
  public void start() {
    if (!started) startThread();
  }

  private synchronized void startThread() {
    if (started) return;
    Thread.ofPlatform().name(name).daemon().start(this::work);
    started = true;
  }

  /** Adds a task. Neither blocks nor takes a lock, because the caller may be a driver's thread (DEV-62). */
  public void submit(Runnable task) {
    tasks.add(task);
  }

  private void work() {
    while (true) {
      try {
        tasks.take().run();
      } catch (Throwable t) {
        Faults.report("work on " + name, t);
      }
    }
  }
}
