// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Pulls of what Spark lends to a function, by any thread of the function's. One may be in a pull still when the task ends, and Spark then frees what is read there: so the task waits until it has left, and nobody pulls any more.
 */
public final class Pulls {
  private static final long PATIENCE_SECONDS = 10;

  private final long taskAttemptId;
  private final ReentrantLock pulling = new ReentrantLock();

  /** Under the lock. */
  private boolean isOver;

  Pulls(long taskAttemptId) {
    this.taskAttemptId = taskAttemptId;
  }

  /**
   * Pulls.
   *
   * @throws IllegalStateException if the task is over
   */
  public <T extends @Nullable Object> T pull(Supplier<T> from) {
    pulling.lock();
    try {
      if (isOver) throw new IllegalStateException("the task " + taskAttemptId + " is over, and what Spark lent to it is gone");
      return from.get();
    } finally {
      pulling.unlock();
    }
  }

  /** Lets nobody pull any more; false if another thread is in a pull. */
  boolean tryEnd() {
    if (!pulling.tryLock()) return false;
    try {
      isOver = true;
      return true;
    } finally {
      pulling.unlock();
    }
  }

  /** The same, and waits until there is no pull any more, also where the thread is interrupted: what is freed under one may end the process. */
  void end() {
    boolean isInterrupted = false;
    for (boolean isPatient = true; !tryEnd();) {
      try {
        if (pulling.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
          pulling.unlock();
        } else if (isPatient) {
          isPatient = false;
          System.getLogger(Pulls.class.getName()).log(System.Logger.Level.WARNING, "task " + taskAttemptId
              + " is over, and waits for a thread of its function's that pulls columns still; let a function return, or throw, when its threads have ended");
        }
      } catch (InterruptedException _) {
        isInterrupted = true;
      }
    }
    if (isInterrupted) Thread.currentThread().interrupt();
  }
}
