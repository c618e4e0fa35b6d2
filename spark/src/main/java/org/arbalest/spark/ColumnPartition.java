// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark;

import java.io.Serializable;
import java.util.List;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.async.AsyncArrayStream;

/**
 * A part of what a query reads: made on the driver, serialized, and opened by a task on an executor; again by another,
 * where Spark tries again.
 */
public interface ColumnPartition extends Serializable {
  /**
   * The columns of this part. A C stream is one by {@link org.arbalest.device.c.CData#importStream}, an async stream by
   * {@link AsyncArrayStream#reader}. It may be on any device; if that is of the type of the
   * {@linkplain ColumnTask#device task's}, it is that one, and batches are copied from it while Spark works on those
   * before. It has the request's columns by their names and types, in any order, and perhaps others. The task closes
   * it: at its end, when it fails, when it is killed, also in the middle of a pull. What takes long is to be waited for
   * in a pull, and not here, where a task that is killed can ask nobody to give up.
   *
   * @param task the task that reads
   */
  DeviceArrayReader open(ColumnTask task) throws Exception;

  /** Hosts where this is best read, by the names that Spark has for them; by default all are as good. */
  default List<String> preferredHosts() {
    return List.of();
  }
}
