// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.DeviceType;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.spark.ColumnTask;
import org.jspecify.annotations.Nullable;

/** The task of an executor thread. Each attempt has one, for everything in it that reads or makes columns. */
public final class SparkTask implements ColumnTask {
  private static final Map<Long, SparkTask> TASKS = new ConcurrentHashMap<>();

  private final TaskContext context;
  private final TaskMemory mainMemory;

  /** The monitor of the thread that waits for a place on the device. */
  private final Object entering = new Object();

  // Guarded by this object's monitor.
  private @Nullable ExecutorDevice used;
  private @Nullable DeviceStream stream;
  private boolean isOver;

  /** The resources to close at the end, in this order. */
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /** The pulls of the task's functions. They end before anything is closed. */
  private final List<Pulls> pulls = new ArrayList<>();

  private SparkTask(TaskContext context) {
    this.context = context;
    this.mainMemory = new TaskMemory(context);
  }

  /** Returns the task of a context. Creates it at the first call. */
  public static SparkTask of(TaskContext context) {
    SparkTask known = TASKS.get(context.taskAttemptId());
    if (known != null) return known;
    var task = new SparkTask(context);
    SparkTask other = TASKS.putIfAbsent(context.taskAttemptId(), task);
    if (other != null) return other;
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
    ExecutorDevice device = use();
    return device.device().type().equals(DeviceType.CPU) ? mainMemory.manager() : device.pool();
  }

  /** Returns the main memory of the task's columns. */
  public TaskMemory mainMemory() {
    return mainMemory;
  }

  @Override
  public DeviceStream stream() {
    Device device = use().device();
    synchronized (this) {
      checkOpen();
      DeviceStream known = stream;
      if (known == null) stream = known = device.createStream();
      return known;
    }
  }

  /**
   * Returns whether a reader is on the task's device. A task takes no place on its device to check a reader on a type
   * that no task's device has.
   */
  public boolean isOnDevice(RecordBatchReader columns) {
    DeviceType type = columns.deviceType();
    return DeviceSettings.BEST_FIRST.contains(type) && type.equals(device().type());
  }

  @Override
  public RecordBatchReader onDevice(RecordBatchReader columns) {
    if (device().type().equals(DeviceType.CPU)) return columns;
    return closeAtEnd(columns.copyTo(memory(), stream(), 0)); // in the task's thread, as Spark's iterators require
  }

  /**
   * Waits for a place on the device if the task has none. It does not wait under the monitor, because the task may end
   * during the wait.
   */
  private ExecutorDevice use() {
    synchronized (entering) {
      synchronized (this) {
        checkOpen();
        if (used != null) return used;
      }
      ExecutorDevice device = ExecutorDevice.of(context);
      device.enter(context);
      synchronized (this) {
        if (!isOver) {
          used = device;
          return device;
        }
      }
      device.leave();
    }
    return use();
  }

  private void checkOpen() {
    if (isOver)
      throw new IllegalStateException("the task " + taskAttemptId() + " has ended, so it cannot use a device");
  }

  /**
   * Closes a resource at the end of the task. The last resource is closed first, all before the task leaves its device.
   * Spark itself closes a partition's reader only after that, because Spark's listener is older.
   *
   * @param open the resource, which passes to the task; a second call of its {@code close} has no effect
   * @throws IllegalStateException if the task is over, which is possible in a thread that outlives it
   */
  public <T extends AutoCloseable> T closeAtEnd(T open) {
    synchronized (this) {
      if (!isOver) {
        opened.push(open);
        return open;
      }
    }
    var late = new IllegalStateException("the task " + taskAttemptId() + " has ended, so it cannot open resources");
    try {
      open.close();
    } catch (Exception e) {
      late.addSuppressed(e);
    }
    throw late;
  }

  /** Removes a resource that is already closed. A task may read several partitions, one after the other. */
  public synchronized void forget(AutoCloseable closed) {
    opened.remove(closed);
  }

  /**
   * Returns new pulls, for a reader that borrows Spark's memory. The task keeps them until it ends, or until
   * {@link #forget(Pulls)}.
   */
  public synchronized Pulls pulls() {
    var own = new Pulls(taskAttemptId());
    pulls.add(own);
    return own;
  }

  /**
   * Ends the pulls of other threads after a function has returned a value. From now on only the calling thread pulls.
   *
   * <p>A thread that is still in a pull is cancelled, and this method waits for it: Spark may free the memory that the
   * thread reads before the task itself knows that it ends.
   */
  public void leave(Pulls own) {
    if (!own.tryLeaveToThisThread()) end(own);
  }

  /** Ends all pulls after a function has failed; see {@link #leave}. */
  public void end(Pulls own) {
    if (!own.tryEnd()) own.end(() -> giveUp(openNow()));
  }

  private synchronized List<AutoCloseable> openNow() {
    return List.copyOf(opened);
  }

  /** Asks pulling threads to stop. The memory that they read stays open. */
  private static void giveUp(List<AutoCloseable> open) {
    for (AutoCloseable each : open) {
      try {
        if (each instanceof Cancellable pulled) pulled.cancel();
        if (each instanceof RecordBatchReader reader) reader.close();
      } catch (RuntimeException e) { // from user code
        System.getLogger(SparkTask.class.getName()).log(System.Logger.Level.WARNING,
            "requesting the end of a thread's wait failed", e);
      }
    }
  }

  /** Removes pulls that have ended. */
  public synchronized void forget(Pulls own) {
    pulls.remove(own);
  }

  private void end() {
    try {
      closeAll(left());
    } finally {
      TASKS.remove(taskAttemptId());
    }
    LeakCheck.at(context, TASKS::isEmpty);
  }

  /** Closes all resources, even if some fail. Throws the first failure at the end. */
  private void closeAll(List<AutoCloseable> left) {
    RuntimeException failed = null;
    for (AutoCloseable each : left) {
      try {
        each.close();
      } catch (Throwable t) { // user code; the place on the device must be released all the same
        if (failed == null)
          failed =
              new IllegalStateException("closing the open resources of task " + taskAttemptId() + " failed: " + t, t);
        else failed.addSuppressed(t);
      }
    }
    if (failed != null) throw failed;
  }

  private synchronized List<AutoCloseable> left() {
    isOver = true;
    var left = new ArrayList<AutoCloseable>();
    List<AutoCloseable> open = List.copyOf(opened);
    for (Pulls own : pulls) {
      if (!own.tryEnd()) left.add(() -> own.end(() -> giveUp(open))); // before any resource is closed during a pull
    }
    left.addAll(open);
    if (stream != null) left.add(stream);
    if (used != null) left.add(used::leave);
    left.add(mainMemory::end);
    opened.clear();
    return left;
  }
}
