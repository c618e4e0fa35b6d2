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
 * The main memory that a task uses for columns, counted as Spark's off-heap memory if
 * {@code spark.memory.offHeap.enabled} is set. The count includes arrays of {@link #manager} until they are freed, on
 * any thread, and arrays of a source while Spark reads them.
 *
 * <p>The task requests memory from Spark once for each batch, when the size of the batch is known. So the count is too
 * low by at most one batch.
 */
public final class TaskMemory {
  private final MeteredMemory made;
  private final TaskContext task;
  private final Counted counted;

  // Guarded by this object's monitor.
  private long visibleBytes;
  private long askedBytes;
  private boolean isOver;

  TaskMemory(TaskContext task) {
    this.task = task;
    this.made = Devices.cpu().memory().metered();
    this.counted = new Counted(task.taskMemoryManager());
  }

  /**
   * Returns the memory manager for the task's arrays. The next {@link #count} counts the memory that is taken from it.
   */
  public MemoryManager manager() {
    return made;
  }

  /** Returns the number of bytes in buffers that {@link #manager} made. */
  public long madeBytes() {
    return made.statistics().currentBytes();
  }

  /**
   * Counts memory of another owner that the task uses.
   *
   * @param bytes the additional bytes, until {@link #hide}
   * @throws DeviceException with {@code ENOMEM} if Spark has less memory; the bytes are then not counted
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
   * Stops counting bytes of {@link #show}. Does not fail: it requests no memory from Spark, even if the task made more
   * meanwhile.
   */
  public synchronized void hide(long bytes) {
    visibleBytes -= bytes;
    giveBackFreed();
  }

  /** Returns counted memory to Spark that is free by now. Does not fail. */
  public synchronized void giveBackFreed() {
    long more = uncounted();
    if (more < 0) giveBack(-more);
  }

  /** Returns the bytes that were not requested from Spark yet; negative if too many were requested. */
  private long uncounted() {
    // otherwise Spark does not count off-heap memory
    boolean isCounted = !isOver && counted.getMode() == MemoryMode.OFF_HEAP;
    return isCounted ? visibleBytes + madeBytes() - askedBytes : 0;
  }

  private void giveBack(long bytes) {
    counted.freeMemory(bytes);
    askedBytes -= bytes;
  }

  /** Reports the current number of bytes to Spark. */
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
              + " bytes besides " + askedBytes + ", but Spark granted " + got
              + "; make spark.memory.offHeap.size larger, or batches smaller, or close arrays earlier");
    }
    askedBytes += more;
  }

  /**
   * Returns all counted memory to Spark, which treats the rest as a leak. Arrays that outlive the task are not counted
   * any more.
   */
  synchronized void end() {
    isOver = true;
    giveBack(askedBytes);
  }

  private static final class Counted extends MemoryConsumer {
    Counted(TaskMemoryManager manager) {
      super(manager, manager.pageSizeBytes(), manager.getTungstenMemoryMode());
    }

    /** Returns 0: no column can be spilled to disk. */
    @Override
    public long spill(long bytes, MemoryConsumer trigger) throws IOException {
      return 0;
    }
  }
}
