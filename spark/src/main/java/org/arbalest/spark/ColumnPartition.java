// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark;

import java.io.Serializable;
import java.util.List;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.async.AsyncArrayStream;

/**
 * A part of the data that a query reads.
 *
 * <p>A {@link ColumnSource} makes it on the driver. Spark serializes it, and a task on an executor opens it. If Spark
 * retries the task, another task opens it again.
 */
public interface ColumnPartition extends Serializable {
  /**
   * Opens a reader of this partition's columns.
   *
   * <p>{@link org.arbalest.device.c.CData#importStream} makes a reader from a C stream, {@link AsyncArrayStream#reader}
   * from an async stream. The reader has the request's columns, found by their names, with their types. It may have
   * them in any order, and may have more columns: the task calls {@link RecordBatchReader#select(int...)} then.
   *
   * <p>The reader may be on any device. A reader on the type of the {@linkplain ColumnTask#device task's device} must
   * be on that device. The task then copies batches from the device while Spark processes the batches before.
   *
   * <p>The task owns the reader and closes it: at the end of the data, or when the task fails or is killed, even during
   * a pull.
   *
   * <p>Do not block for long in this method: a killed task cannot cancel it. Block in a pull instead.
   *
   * @param task the task that reads
   * @throws Exception if the partition cannot be opened; the attempt of the task then fails
   */
  RecordBatchReader open(ColumnTask task) throws Exception;

  /**
   * Returns the hosts that read this partition best, by Spark's names. By default the list is empty: all hosts are
   * equal.
   */
  default List<String> preferredHosts() {
    return List.of();
  }
}
