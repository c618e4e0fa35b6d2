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
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.DeviceType;
import org.arbalest.device.MemoryManager;
import org.arbalest.spark.ColumnTask;
import org.jspecify.annotations.Nullable;

/** The task of a thread of an executor's: one for each attempt, whatever of it reads or makes columns. */
public final class SparkTask implements ColumnTask {
  private static final Map<Long, SparkTask> TASKS = new ConcurrentHashMap<>();

  private final TaskContext context;
  private final TaskMemory mainMemory;

  /** Held by the thread that waits for a place on the device. */
  private final Object entering = new Object();

  // Under this object's monitor.
  private @Nullable ExecutorDevice used;
  private @Nullable DeviceStream stream;
  private boolean isOver;

  /** What is closed at the end, first the first. */
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();

  /** Of its functions, which come to an end before anything is closed. */
  private final List<Pulls> pulls = new ArrayList<>();

  private SparkTask(TaskContext context) {
    this.context = context;
    this.mainMemory = new TaskMemory(context);
  }

  /** The task's, which is made when it is first asked for. */
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

  /** Where columns of the task's are in main memory. */
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
   * Whether a stream is where the task's device is; of one that no task's device can be, the task takes no place to
   * know.
   */
  public boolean isOnDevice(DeviceArrayReader columns) {
    DeviceType type = columns.deviceType();
    return DeviceSettings.BEST_FIRST.contains(type) && type.equals(device().type());
  }

  @Override
  public DeviceArrayReader onDevice(DeviceArrayReader columns) {
    if (device().type().equals(DeviceType.CPU)) return columns;
    return closeAtEnd(columns.copyTo(memory(), stream(), 0)); // in the task's thread, as Spark's iterators want
  }

  /** Waits for a place where there is none yet, but not under the monitor: the task may end meanwhile. */
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
      throw new IllegalStateException("the task " + taskAttemptId() + " is over, and uses no device any more");
  }

  /**
   * Closes something at the end of the task, what came last first, and before the task leaves its device. Spark itself
   * closes a partition's reader only behind this: its listener is the older one.
   *
   * @param open closing it twice does nothing; passes to the task
   * @throws IllegalStateException if the task is over, as it may be for a thread that outlives it
   */
  public <T extends AutoCloseable> T closeAtEnd(T open) {
    synchronized (this) {
      if (!isOver) {
        opened.push(open);
        return open;
      }
    }
    var late = new IllegalStateException("the task " + taskAttemptId() + " is over, and opens nothing any more");
    try {
      open.close();
    } catch (Exception e) {
      late.addSuppressed(e);
    }
    throw late;
  }

  /** Something is closed already: a task may read one partition behind the other. */
  public synchronized void forget(AutoCloseable closed) {
    opened.remove(closed);
  }

  /** For what Spark lends to a function; until the end of the task, or {@link #forget(Pulls)}. */
  public synchronized Pulls pulls() {
    var some = new Pulls(taskAttemptId());
    pulls.add(some);
    return some;
  }

  /**
   * A function has returned a value: from now on this thread alone pulls. A thread that is in a pull still is asked to
   * give up, and waited for: Spark may free what it reads before the task itself learns that it ends.
   */
  public void leave(Pulls some) {
    if (!some.tryLeaveToThisThread()) end(some);
  }

  /** A function has failed: nobody pulls any more; see {@link #leave}. */
  public void end(Pulls some) {
    if (!some.tryEnd()) some.end(() -> giveUp(openNow()));
  }

  private synchronized List<AutoCloseable> openNow() {
    return List.copyOf(opened);
  }

  /** Asks threads that pull to give up; what they read stays open. */
  private static void giveUp(List<AutoCloseable> open) {
    for (AutoCloseable each : open) {
      try {
        if (each instanceof Cancellable pulled) pulled.cancel();
        if (each instanceof DeviceArrayReader reader) reader.close();
      } catch (RuntimeException e) { // of the user's
        System.getLogger(SparkTask.class.getName()).log(System.Logger.Level.WARNING,
            "what a thread waits for could not be asked to give up", e);
      }
    }
  }

  /** Nobody pulls there any more. */
  public synchronized void forget(Pulls some) {
    pulls.remove(some);
  }

  private void end() {
    try {
      closeAll(left());
    } finally {
      TASKS.remove(taskAttemptId());
    }
    LeakCheck.at(context, TASKS::isEmpty);
  }

  /** All of it, whatever fails; what failed first is thrown. */
  private void closeAll(List<AutoCloseable> left) {
    RuntimeException failed = null;
    for (AutoCloseable each : left) {
      try {
        each.close();
      } catch (Throwable t) { // of the user's: the next task would wait for the place on the device for ever
        if (failed == null)
          failed = new IllegalStateException("closing what task " + taskAttemptId() + " had open failed: " + t, t);
        else failed.addSuppressed(t);
      }
    }
    if (failed != null) throw failed;
  }

  private synchronized List<AutoCloseable> left() {
    isOver = true;
    var left = new ArrayList<AutoCloseable>();
    List<AutoCloseable> open = List.copyOf(opened);
    for (Pulls some : pulls) {
      if (!some.tryEnd()) left.add(() -> some.end(() -> giveUp(open))); // before anything is closed under a pull
    }
    left.addAll(open);
    if (stream != null) left.add(stream);
    if (used != null) left.add(used::leave);
    left.add(mainMemory::end);
    opened.clear();
    return left;
  }
}
