// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Pulls of what Spark lends to a function, by any thread of the function's. One may be in a pull still when the
 * function returns, or the task ends, and Spark then frees what is read there: so the task waits until it has left.
 */
public final class Pulls {
  private static final long LOOK_MILLIS = 100;

  /** After ten seconds a wait is told. */
  private static final int WARNING_LOOKS = 100;

  private final long taskAttemptId;
  private final ReentrantLock pulling = new ReentrantLock();
  private volatile boolean isOver;

  /** Who may pull; null if any thread may. */
  private volatile @Nullable Thread only;

  Pulls(long taskAttemptId) {
    this.taskAttemptId = taskAttemptId;
  }

  /**
   * Pulls.
   *
   * @throws IllegalStateException if nobody pulls any more, or not this thread
   */
  public <T extends @Nullable Object> T pull(Supplier<T> from) {
    pulling.lock();
    try {
      if (isOver) throw new IllegalStateException(
          "the task " + taskAttemptId + " is over, or its function, and what Spark lent to it is gone");
      Thread thread = only;
      if (thread != null && !thread.equals(Thread.currentThread()))
        throw new IllegalStateException("the function of task " + taskAttemptId
            + " has returned, and what Spark lent to it is pulled by " + thread + " only");
      return from.get();
    } finally {
      pulling.unlock();
    }
  }

  /** Lets no other thread pull any more; false if one is in a pull. */
  boolean tryLeaveToThisThread() {
    only = Thread.currentThread();
    return isFree();
  }

  /** Lets nobody pull any more; false if another thread is in a pull. */
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
   * Lets nobody pull any more, and waits until nobody does, also where the thread is interrupted: what is freed under a
   * pull may end the process.
   *
   * @param giveUp asks who pulls to give up; again and again, as what it asks may not have begun yet
   */
  void end(Runnable giveUp) {
    isOver = true;
    boolean isInterrupted = false;
    for (int looks = 0; !isFree(); looks++) {
      giveUp.run();
      if (looks == WARNING_LOOKS) System.getLogger(Pulls.class.getName()).log(System.Logger.Level.WARNING, "task "
          + taskAttemptId
          + " waits for a thread of its function's that pulls columns still; let a function return, or throw, when its "
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
