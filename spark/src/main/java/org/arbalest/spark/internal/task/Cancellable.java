// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.task;

/** A resource that another thread may be pulling from when the task ends. */
public interface Cancellable {
  /** Asks the pulling thread to stop. Called from another thread. */
  void cancel();
}
