// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import org.jspecify.annotations.Nullable;

/**
 * A record of a connection's calls. From it, the results of the connection find out which call may have ended them, and
 * whether a cancel affects them. All methods require the connection lock, except {@link #isLastOf} and those of
 * autocommit and failures.
 */
final class CallRecord {
  /** The result of the last execution, if it has one. */
  private @Nullable ResultSource last;

  /** Whether autocommit is on, the default of {@code adbc.h}, by the options that were set. */
  private volatile boolean isAutoCommit = true;

  /** Whether a call has failed since {@link #takeFailure}. */
  private volatile boolean hasFailed;

  /** Records that a call failed. */
  void fails() {
    hasFailed = true;
  }

  /** Returns whether a call has failed since the last call of this method. */
  boolean takeFailure() {
    boolean taken = hasFailed;
    hasFailed = false;
    return taken;
  }

  /** Records a call that may end the last result. */
  void calls(AdbcFunction function, @Nullable String about, @Nullable String sql) {
    if (last != null) last.calledBetween(function, about, sql);
  }

  /** Records that another execution begins. */
  void executes() {
    last = null;
  }

  /** Records the execution's result. */
  void executed(ResultSource result) {
    last = result;
  }

  /** Returns the result of the last execution, if it has one and that is not the given one. */
  @Nullable
  ResultSource lastExcept(ResultSource result) {
    return last == result ? null : last;
  }

  /** Returns whether nothing was executed after the execution of this result. */
  boolean isLast(ResultSource result) {
    return last == result;
  }

  /** Returns whether the last result belongs to a statement or connection. Requires the monitor of calls. */
  boolean isLastOf(NativeHandle handle) {
    return last != null && last.isOf(handle);
  }

  /** Records that autocommit was switched. The connection may not be open yet. */
  void setAutoCommit(boolean isOn) {
    isAutoCommit = isOn;
  }

  boolean isAutoCommit() {
    return isAutoCommit;
  }
}
