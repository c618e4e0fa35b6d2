// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.arbalest.device.monitoring.ResourceCounters;

/**
 * A check at the end of a task for native resources that its executor holds and that no earlier check reported. The
 * setting {@code spark.arbalest.leaks} is {@code off}, {@code log} or {@code fail}.
 */
public final class LeakCheck {
  static final String OPTION = "spark.arbalest.leaks";

  /** The time that other threads have to release resources after queued work. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /**
   * The counters at the last report, or lower ones that a later check found. A task is not blamed for resources that
   * earlier tasks left. Guarded by this class's monitor.
   */
  private static ResourceCounters reported = new ResourceCounters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

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
        default -> throw new IllegalArgumentException(OPTION + " is " + mode + ", but must be off, log or fail");
      };
    }
  }

  /** Returns whether this process checks for leaks. */
  public static boolean isOn() {
    SparkEnv env = SparkEnv.get();
    return env != null && Mode.of(env.conf()) != Mode.OFF;
  }

  /**
   * Checks for leaks, if the setting asks for it.
   *
   * @param isAlone whether no other task of the executor has resources. If another task has some, the owner is unknown,
   *     and the last task to end checks
   * @throws IllegalStateException if a resource is still held, and the setting is {@code fail}
   */
  static void at(TaskContext task, BooleanSupplier isAlone) {
    Mode mode = Mode.of(SparkEnv.get().conf());
    if (mode == Mode.OFF) return;
    // the thread of a killed task may be interrupted, and would then not wait
    boolean isInterrupted = Thread.interrupted();
    try {
      look(task, mode, isAlone);
    } finally {
      if (isInterrupted) Thread.currentThread().interrupt();
    }
  }

  /**
   * Returns the resources that are held now and were not held before.
   *
   * @param isReported whether the caller reports them now, so that no later check reports them again
   */
  private static synchronized List<String> more(ResourceCounters held, boolean isReported) {
    List<String> more = numbers(held.since(reported)).filter(number -> !number.contains("=-")).toList();
    if (isReported || more.isEmpty()) reported = held;
    return more;
  }

  /** Returns the counters that are not zero, with their names. */
  private static Stream<String> numbers(ResourceCounters counters) {
    String all = counters.toString();
    return Arrays.stream(all.substring(all.indexOf('[') + 1, all.length() - 1).split(", "))
        .filter(number -> !number.endsWith("=0"));
  }

  private static void look(TaskContext task, Mode mode, BooleanSupplier isAlone) {
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (isAlone.getAsBoolean()) {
      ResourceCounters held = ResourceCounters.now();
      List<String> more = more(held, false);
      if (more.isEmpty()) return;
      if (System.nanoTime() - end < 0) {
        LockSupport.parkNanos(LOOK_NANOS);
        continue;
      }
      more = more(held, true);
      if (more.isEmpty()) return;
      String what = "task " + task.taskAttemptId() + " of stage " + task.stageId() + " left behind "
          + String.join(", ", more)
          + ": close each array (forEach closes the arrays that it passes to its block); with "
          + "-Dorg.arbalest.leaks=true in spark.executor.extraJavaOptions, the executor's log names the place where "
          + "each was created, once the garbage collector finds it";
      if (mode == Mode.FAIL) throw new IllegalStateException(what);
      System.getLogger(LeakCheck.class.getName()).log(System.Logger.Level.WARNING, what);
      return;
    }
  }
}
