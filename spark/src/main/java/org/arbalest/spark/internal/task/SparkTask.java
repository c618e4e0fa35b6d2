// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.spark.ColumnTask;
import org.jspecify.annotations.Nullable;

/** The task of a thread of an executor's: one for each attempt, whatever of it reads or makes columns. */
public final class SparkTask implements ColumnTask {
  private static final Map<Long, SparkTask> TASKS = new ConcurrentHashMap<>();

  private final TaskContext context;

  // Under this object's monitor.
  private @Nullable ExecutorDevice used;
  private @Nullable DeviceStream stream;
  private boolean isOver;

  private SparkTask(TaskContext context) {
    this.context = context;
  }

  /** Call it before what is to be closed with the task is made: what listens first to its end hears of it last. */
  public static SparkTask of(TaskContext context) {
    SparkTask known = TASKS.get(context.taskAttemptId());
    if (known != null) return known;
    var task = new SparkTask(context);
    TASKS.put(context.taskAttemptId(), task);
    context.addTaskCompletionListener((TaskCompletionListener) _ -> task.end());
    return task;
  }

  public TaskContext context() {
    return context;
  }

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

  @Override
  public Device device() {
    return use().device();
  }

  @Override
  public MemoryManager memory() {
    return use().pool();
  }

  @Override
  public synchronized DeviceStream stream() {
    DeviceStream known = stream;
    if (known == null) stream = known = use().device().createStream();
    return known;
  }

  @Override
  public DeviceArrayReader onDevice(DeviceArrayReader columns) {
    if (device().type().equals(DeviceType.CPU)) return columns;
    DeviceArrayReader copies = columns.copyTo(memory(), stream(), 0); // in the task's thread, as Spark's iterators want
    context.addTaskCompletionListener((TaskCompletionListener) _ -> copies.close());
    return copies;
  }

  private synchronized ExecutorDevice use() {
    if (isOver) throw new IllegalStateException("the task " + taskAttemptId() + " is over, and uses no device any more");
    ExecutorDevice known = used;
    if (known == null) {
      known = ExecutorDevice.of(context);
      known.enter(context);
      used = known;
    }
    return known;
  }

  private synchronized void end() {
    TASKS.remove(taskAttemptId());
    isOver = true;
    try {
      if (stream != null) stream.close();
    } finally {
      if (used != null) used.leave();
    }
  }
}
