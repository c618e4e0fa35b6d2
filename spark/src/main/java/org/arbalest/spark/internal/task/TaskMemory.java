// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.io.IOException;
import org.apache.spark.TaskContext;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.MemoryMode;
import org.apache.spark.memory.TaskMemoryManager;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Devices;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.MeteredMemory;

/**
 * What a task has of main memory for columns, counted against Spark's off-heap memory, where that is switched on
 * ({@code spark.memory.offHeap.enabled}): arrays that are made here, until they are freed, on any thread; and those of
 * a source, while Spark reads them.
 *
 * <p>Spark is asked once for each batch, when its size is known: so the count is too low by one batch at the most.
 */
public final class TaskMemory {
  private final MeteredMemory made;
  private final TaskContext task;
  private final Counted counted;

  // Under this object's monitor.
  private long visibleBytes;
  private long askedBytes;
  private boolean isOver;

  TaskMemory(TaskContext task) {
    this.task = task;
    this.made = Devices.cpu().memory().metered();
    this.counted = new Counted(task.taskMemoryManager());
  }

  /** Where arrays of the task's are to be made; what is taken of it is counted at the next {@link #count}. */
  public MemoryManager manager() {
    return made;
  }

  /** How many bytes are in buffers that were made here. */
  public long madeBytes() {
    return made.statistics().currentBytes();
  }

  /**
   * Says that memory of somebody else's is used by the task.
   *
   * @param bytes how many more, until {@link #hide}
   * @throws DeviceException with {@code ENOMEM} if that is more than Spark has; then these are not counted
   */
  public synchronized void show(long bytes) {
    visibleBytes += bytes;
    try {
      count();
    } catch (Throwable t) {
      visibleBytes -= bytes;
      throw t;
    }
  }

  /**
   * Says that so much of it is not used any more. Does not fail: Spark is asked for nothing, even if more was made
   * meanwhile.
   */
  public synchronized void hide(long bytes) {
    visibleBytes -= bytes;
    giveBackFreed();
  }

  /** Gives Spark back what was counted, and is free by now. Does not fail. */
  public synchronized void giveBackFreed() {
    long more = uncounted();
    if (more < 0) giveBack(-more);
  }

  /** What Spark was not asked for yet; negative if that is too much. */
  private long uncounted() {
    boolean isCounted = !isOver && counted.getMode() == MemoryMode.OFF_HEAP; // else Spark has no number for it
    return isCounted ? visibleBytes + madeBytes() - askedBytes : 0;
  }

  private void giveBack(long bytes) {
    counted.freeMemory(bytes);
    askedBytes -= bytes;
  }

  /** Tells Spark how much there is now. */
  public synchronized void count() {
    giveBackFreed();
    long more = uncounted();
    if (more <= 0) return;
    long got = counted.acquireMemory(more);
    if (got < more) {
      counted.freeMemory(got);
      throw new DeviceException(
          Errno.ENOMEM,
          "Spark's off-heap memory is used up: ENOMEM, columns of task " + task.taskAttemptId() + " need " + more
              + " bytes besides " + askedBytes
              + ", and it gives "
              + got + "; make spark.memory.offHeap.size larger, or batches smaller, or close arrays earlier");
    }
    askedBytes += more;
  }

  /** Spark takes what is left for a leak. Arrays that outlive the task are not counted any more. */
  synchronized void end() {
    isOver = true;
    giveBack(askedBytes);
  }

  private static final class Counted extends MemoryConsumer {
    Counted(TaskMemoryManager manager) {
      super(manager, manager.pageSizeBytes(), manager.getTungstenMemoryMode());
    }

    /** Nothing of it can be written elsewhere. */
    @Override
    public long spill(long bytes, MemoryConsumer trigger) throws IOException {
      return 0;
    }
  }
}
