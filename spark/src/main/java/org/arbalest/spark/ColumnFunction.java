// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark;

import java.io.Serializable;
import org.arbalest.device.DeviceArrayReader;
import org.jspecify.annotations.Nullable;

/**
 * What is done with the columns of one partition, on an executor. Serialized with what it refers to.
 *
 * @param <T> what comes of it
 */
@FunctionalInterface
public interface ColumnFunction<T extends @Nullable Object> extends Serializable {
  /**
   * Called once for each attempt of a task.
   *
   * @param task the task that it runs in
   * @param columns the partition's; lent: the task closes it. An array that is pulled is this function's to close, and
   *     may outlive the reader. Any thread of this function's may pull, unless columns are made of rows by Spark's
   *     public API, which are the task's thread's. A task that ends waits for the pull that is under way, as Spark
   *     frees then what it reads; all later ones fail
   */
  T apply(ColumnTask task, DeviceArrayReader columns) throws Exception;
}
