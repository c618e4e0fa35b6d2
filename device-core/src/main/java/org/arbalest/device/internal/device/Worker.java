// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.concurrent.LinkedTransferQueue;
import org.arbalest.device.internal.memory.Faults;

/**
 * A daemon thread for what may not run where it was heard of: the threads on which a driver calls back may not call it
 * (CUDA), or hold up the device while they are busy (OpenCL). Started when there is something to do.
 */
public final class Worker {
  /** Tells who waits for an event. */
  static final Worker EVENTS = new Worker("arbalest-events");

  /** Releases what queued work has used; runs other people's release callbacks. */
  public static final Worker RELEASES = new Worker("arbalest-releases");

  private final String name;
  private final LinkedTransferQueue<Runnable> tasks = new LinkedTransferQueue<>();
  private volatile boolean started;

  private Worker(String name) {
    this.name = name;
  }

  /** Starts the thread, which may fail: to be called before there is something that must be done. */
  public void start() {
    if (!started) startThread();
  }

  private synchronized void startThread() {
    if (started) return;
    Thread.ofPlatform().name(name).daemon().start(this::work);
    started = true;
  }

  /** Neither blocks nor takes a lock: a driver's thread may be here (DEV-62). */
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
