// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.read.RunsImpl;

/**
 * An iterator over the runs of a run-end-encoded column, from its first row on. {@link #next} moves to the next run;
 * the other methods describe the current run. The first and the last run are cut at the ends of the column.
 *
 * <p>It is borrowed like the column. Not thread-safe.
 *
 * <pre>{@code
 * Runs runs = column.runs();
 * Column values = runs.values();
 * while (runs.next()) sum += values.getLong(runs.value()) * runs.length();
 * }</pre>
 */
public sealed interface Runs permits RunsImpl {
  /**
   * Moves to the next run; the first call moves to the first run.
   *
   * @return false if no run is left
   * @throws DeviceException with {@code EINVAL} if the run ends do not increase, or end before the column does
   */
  boolean next();

  /** Returns the run's first row in the column. */
  long start();

  /** Returns the row after the run's last row. */
  long end();

  /** Returns the number of rows in the run. */
  long length();

  /** Returns the row of the run's value in {@link #values}. */
  long value();

  /** Returns the values, one for each run of the whole array. */
  Column values();
}
