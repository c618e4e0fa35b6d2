// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.TaskContext;
import org.arbalest.device.DeviceArrayReader;

/**
 * Looks whether a task was killed, and asks what it waits for in native code to give up: Spark interrupts the task's
 * thread at the most, which nothing in C hears.
 */
public final class TaskWatch implements AutoCloseable {
  private static final long PERIOD_MILLIS = 100;
  private static final Set<TaskWatch> WATCHES = ConcurrentHashMap.newKeySet();

  static {
    Thread.ofPlatform().name("arbalest-task-watch").daemon().start(TaskWatch::lookAlways);
  }

  private final TaskContext task;
  private final Runnable cancel;
  private final AtomicBoolean isCancelling = new AtomicBoolean();

  private TaskWatch(TaskContext task, Runnable cancel) {
    this.task = task;
    this.cancel = cancel;
  }

  /** Closes a reader of a task that was killed. */
  public static TaskWatch over(TaskContext task, DeviceArrayReader reader) {
    return over(task, reader::close);
  }

  /**
   * Watches until this is closed.
   *
   * @param cancel called when the task was killed, on a thread of its own, again and again, as what it asks may not
   *     have begun yet
   */
  public static TaskWatch over(TaskContext task, Runnable cancel) {
    var watch = new TaskWatch(task, cancel);
    WATCHES.add(watch);
    return watch;
  }

  private static void lookAlways() {
    while (true) {
      try {
        Thread.sleep(PERIOD_MILLIS);
      } catch (InterruptedException _) {
        continue; // nobody has a reason to; the tasks are looked at a little earlier
      }
      WATCHES.forEach(TaskWatch::look);
    }
  }

  /** Others are not to wait for a source of the user's that takes long to give up. */
  private void look() {
    if (!task.isInterrupted() || !isCancelling.compareAndSet(false, true)) return;
    try {
      Thread.ofPlatform().name("arbalest-task-cancel").daemon().start(this::cancel);
    } catch (Throwable t) { // no thread can be made: perhaps the next time
      isCancelling.set(false);
      log(t);
    }
  }

  private void cancel() {
    try {
      cancel.run();
    } catch (Throwable t) { // of the user's
      log(t);
    } finally {
      isCancelling.set(false);
    }
  }

  private static void log(Throwable t) {
    System.getLogger(TaskWatch.class.getName()).log(System.Logger.Level.WARNING,
        "what a killed task waits for could not be asked to give up", t);
  }

  @Override
  public void close() {
    WATCHES.remove(this);
  }
}
