// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.TaskContext;
import org.arbalest.device.RecordBatchReader;

/**
 * A watch that cancels native calls of a killed task. Spark itself at most interrupts the task's thread, which has no
 * effect on native code.
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

  /** Closes a reader if its task is killed. */
  public static TaskWatch over(TaskContext task, RecordBatchReader reader) {
    return over(task, reader::close);
  }

  /**
   * Starts a watch, until {@link #close}.
   *
   * @param cancel called on its own thread when the task is killed. Called repeatedly, because the operation that it
   *     cancels may not have begun yet
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
        continue; // no code interrupts this thread on purpose; the only effect is an earlier look
      }
      WATCHES.forEach(TaskWatch::look);
    }
  }

  /**
   * Starts the cancellation on its own thread, so that other tasks do not wait for a user's source that is slow to
   * cancel.
   */
  private void look() {
    if (!task.isInterrupted() || !isCancelling.compareAndSet(false, true)) return;
    try {
      Thread.ofPlatform().name("arbalest-task-cancel").daemon().start(this::cancel);
    } catch (Throwable t) { // the JVM cannot make a thread: the next look tries again
      isCancelling.set(false);
      log(t);
    }
  }

  private void cancel() {
    try {
      cancel.run();
    } catch (Throwable t) { // from user code
      log(t);
    } finally {
      isCancelling.set(false);
    }
  }

  private static void log(Throwable t) {
    System.getLogger(TaskWatch.class.getName()).log(System.Logger.Level.WARNING,
        "requesting the end of a killed task's wait failed", t);
  }

  @Override
  public void close() {
    WATCHES.remove(this);
  }
}
