// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

import java.util.Map;
import org.apache.spark.TaskContext;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcDatabase;
import org.arbalest.spark.internal.task.TaskWatch;

/**
 * The opening of a connection by a task. A database opens one connection at a time, so the tasks of an executor wait
 * for each other; a kill of the task ends its wait.
 */
final class Connecting {
  private final Thread caller = Thread.currentThread();

  // Guarded by this.
  private boolean isOver;
  private boolean isInterrupted;

  private Connecting() {}

  /**
   * Opens a connection; the caller closes it.
   *
   * @throws org.arbalest.device.adbc.AdbcException with {@code CANCELLED} if the task is killed while it waits
   */
  static AdbcConnection open(AdbcDatabase database, Map<String, String> options, TaskContext task) {
    var connecting = new Connecting();
    try (TaskWatch _ = TaskWatch.over(task, connecting::interrupt)) {
      return database.connect(options);
    } finally {
      connecting.end();
    }
  }

  private synchronized void interrupt() {
    if (isOver) return; // the thread may run another task already
    isInterrupted = true;
    caller.interrupt();
  }

  /** Clears the interrupt, which is not meant for the code that follows. */
  private synchronized void end() {
    isOver = true;
    if (isInterrupted) Thread.interrupted();
  }
}
