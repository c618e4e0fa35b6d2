// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark;

import java.io.Serializable;
import org.arbalest.device.RecordBatchReader;
import org.jspecify.annotations.Nullable;

/**
 * A function on the columns of one partition, for {@link DataFrames}. It runs in a task on an executor.
 *
 * <p>Spark serializes the function with all objects that it refers to.
 *
 * @param <T> the type of the result
 */
@FunctionalInterface
public interface ColumnFunction<T extends @Nullable Object> extends Serializable {
  /**
   * Processes the columns of one partition. Spark calls this method once for each attempt of a task.
   *
   * <p>The task owns the reader and closes it. The function owns each array that it pulls: it closes the array, and may
   * keep it after the reader is closed.
   *
   * <p>Any thread of the function may pull, with two exceptions. If Spark's public API makes the columns from rows,
   * only the task's thread may pull. After the function returns a value that is not a reader, only the task's thread
   * may pull.
   *
   * <p>A task that ends first waits for a pull in progress, because Spark then frees the memory that the pull reads.
   * All later pulls fail with an {@link IllegalStateException}.
   *
   * @param task the task that calls the function
   * @param columns the partition's columns, borrowed until the task ends
   * @return the function's result; it may use the columns until the end of the task
   * @throws Exception if the function fails; the attempt of the task then fails
   */
  T apply(ColumnTask task, RecordBatchReader columns) throws Exception;
}
