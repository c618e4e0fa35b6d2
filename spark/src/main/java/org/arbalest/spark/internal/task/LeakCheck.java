// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.arbalest.device.Ledger;

/** Looks at the end of a task whether its executor still holds something of ours: by {@code spark.arbalest.leaks}, which is {@code off}, {@code log} or {@code fail}. */
final class LeakCheck {
  private static final String OPTION = "spark.arbalest.leaks";

  /** What is released on other threads, behind queued work, is given this long. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private LeakCheck() {}

  enum Mode {
    OFF,
    LOG,
    FAIL;

    static Mode of(SparkConf conf) {
      String mode = conf.get(OPTION, "off");
      return switch (mode.toLowerCase(Locale.ROOT)) {
        case "off" -> OFF;
        case "log" -> LOG;
        case "fail" -> FAIL;
        default -> throw new IllegalArgumentException(OPTION + " is " + mode + ", and may be off, log or fail");
      };
    }
  }

  /**
   * Looks, if that is wanted.
   *
   * @param isAlone whether no other task of the executor has something: where one has, nobody can say whose it is, and the last to end looks
   * @throws IllegalStateException if something is held, and the task is to fail
   */
  static void at(TaskContext task, BooleanSupplier isAlone) {
    Mode mode = Mode.of(SparkEnv.get().conf());
    if (mode == Mode.OFF) return;
    boolean isInterrupted = Thread.interrupted(); // as a killed task's thread may be, which would not wait then
    try {
      look(task, mode, isAlone);
    } finally {
      if (isInterrupted) Thread.currentThread().interrupt();
    }
  }

  private static void look(TaskContext task, Mode mode, BooleanSupplier isAlone) {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (isAlone.getAsBoolean()) {
      Ledger held = Ledger.now();
      if (held.isZero()) return;
      if (System.nanoTime() - end < 0) {
        LockSupport.parkNanos(LOOK_NANOS);
        continue;
      }
      String what = "behind task " + task.taskAttemptId() + " of stage " + task.stageId() + " its executor still holds " + held
          + "; the system property org.arbalest.leaks says where";
      if (mode == Mode.FAIL) throw new IllegalStateException(what);
      System.getLogger(LeakCheck.class.getName()).log(System.Logger.Level.WARNING, what);
      return;
    }
  }
}
