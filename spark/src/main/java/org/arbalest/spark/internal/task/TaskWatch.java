// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.arbalest.device.DeviceArrayReader;

/**
 * Looks whether a task was killed, and closes its reader then, so that a pull in native code is asked to give up: Spark interrupts the task's thread at the most, which nothing in C hears.
 */
public final class TaskWatch implements AutoCloseable {
  private static final long PERIOD_MILLIS = 100;
  private static final Set<TaskWatch> WATCHES = ConcurrentHashMap.newKeySet();

  static {
    Thread.ofPlatform().name("arbalest-task-watch").daemon().start(TaskWatch::lookAlways);
  }

  private final TaskContext task;
  private final DeviceArrayReader reader;

  private TaskWatch(TaskContext task, DeviceArrayReader reader) {
    this.task = task;
    this.reader = reader;
  }

  /** Watches until this is closed, or the task was killed. */
  public static TaskWatch over(TaskContext task, DeviceArrayReader reader) {
    var watch = new TaskWatch(task, reader);
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

  private void look() {
    if (!task.isInterrupted() || !WATCHES.remove(this)) return;
    try {
      reader.close();
    } catch (Throwable t) { // of the user's: the thread is there for all tasks
      System.getLogger(TaskWatch.class.getName()).log(System.Logger.Level.WARNING, "closing the reader of a task that was killed failed", t);
    }
  }

  @Override
  public void close() {
    WATCHES.remove(this);
  }
}
