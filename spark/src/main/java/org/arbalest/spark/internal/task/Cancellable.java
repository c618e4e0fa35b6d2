// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

/** What another thread may be in when the task ends. */
public interface Cancellable {
  /** Asks the thread to give up, from another. */
  void cancel();
}
