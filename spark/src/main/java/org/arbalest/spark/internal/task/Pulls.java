// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The pulls by any thread of a function from a reader that borrows Spark's memory.
 *
 * <p>A thread may still be in a pull when the function returns, or when the task ends. Spark then frees the memory that
 * the pull reads, so the task waits until the thread has left.
 */
public final class Pulls {
  private static final long LOOK_MILLIS = 100;

  /** The number of looks, ten seconds in all, after which a warning reports the wait. */
  private static final int WARNING_LOOKS = 100;

  private final long taskAttemptId;
  private final ReentrantLock pulling = new ReentrantLock();
  private volatile boolean isOver;

  /** The only thread that may pull; null if any thread may. */
  private volatile @Nullable Thread only;

  Pulls(long taskAttemptId) {
    this.taskAttemptId = taskAttemptId;
  }

  /**
   * Pulls once from a supplier. One thread pulls at a time; other threads wait.
   *
   * @throws IllegalStateException if pulls are over, or not permitted to this thread
   */
  public <T extends @Nullable Object> T pull(Supplier<T> from) {
    pulling.lock();
    try {
      if (isOver) throw new IllegalStateException(
          "the task " + taskAttemptId + " or its function has ended, and the batches borrowed from Spark are invalid");
      Thread thread = only;
      if (thread != null && !thread.equals(Thread.currentThread()))
        throw new IllegalStateException("the function of task " + taskAttemptId
            + " has returned, and only " + thread + " may pull the batches borrowed from Spark");
      return from.get();
    } finally {
      pulling.unlock();
    }
  }

  /** Permits pulls to the calling thread only. Returns false if another thread is in a pull. */
  boolean tryLeaveToThisThread() {
    only = Thread.currentThread();
    return isFree();
  }

  /** Permits no more pulls. Returns false if another thread is in a pull. */
  boolean tryEnd() {
    isOver = true;
    return isFree();
  }

  private boolean isFree() {
    if (!pulling.tryLock()) return false;
    pulling.unlock();
    return true;
  }

  /**
   * Permits no more pulls, and waits until no thread is in a pull, even if the calling thread is interrupted: freeing
   * memory during a pull can crash the process.
   *
   * @param giveUp asks the pulling thread to stop. Called repeatedly, because the operation that it cancels may not
   *     have begun yet
   */
  void end(Runnable giveUp) {
    isOver = true;
    boolean isInterrupted = false;
    for (int looks = 0; !isFree(); looks++) {
      giveUp.run();
      if (looks == WARNING_LOOKS) System.getLogger(Pulls.class.getName()).log(System.Logger.Level.WARNING, "task "
          + taskAttemptId
          + " waits for a thread of its function that still pulls columns; let a function return or throw after its "
          + "threads have ended");
      try {
        if (pulling.tryLock(LOOK_MILLIS, TimeUnit.MILLISECONDS)) pulling.unlock();
      } catch (InterruptedException _) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) Thread.currentThread().interrupt();
  }
}
