// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.columns;

import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.read.RunsImpl;

/**
 * Goes through the runs of a run-end-encoded column, from its first row on: {@link #next} steps, the others tell of the
 * run it stepped to. A run is cut where the column is. Borrowed like the column; for one thread.
 *
 * <pre>{@code
 * Runs runs = column.runs();
 * Column values = runs.values();
 * while (runs.next()) sum += values.getLong(runs.value()) * runs.length();
 * }</pre>
 */
public sealed interface Runs permits RunsImpl {
  /**
   * Steps to the next run, at first to the first.
   *
   * @return false if there is none any more
   * @throws DeviceException with {@code EINVAL} if the run ends do not increase, or end before the column does
   */
  boolean next();

  /** The run's first row in the column. */
  long start();

  /** The row behind its last. */
  long end();

  /** The number of its rows. */
  long length();

  /** The row of its value in {@link #values}. */
  long value();

  /** The values, one for each run of the whole array. */
  Column values();
}
