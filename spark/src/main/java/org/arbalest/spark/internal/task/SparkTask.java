// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import org.apache.spark.TaskContext;
import org.arbalest.spark.ColumnTask;

/** The task of a thread of an executor's. */
public record SparkTask(TaskContext context) implements ColumnTask {
  @Override
  public int partition() {
    return context.partitionId();
  }

  @Override
  public int attempt() {
    return context.attemptNumber();
  }

  @Override
  public long taskAttemptId() {
    return context.taskAttemptId();
  }
}
