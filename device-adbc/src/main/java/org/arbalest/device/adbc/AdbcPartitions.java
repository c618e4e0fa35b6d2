// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.List;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The partitions of a result, in no order.
 *
 * @param schema the schema of each partition; null if the driver returned none, as some do when no more partitions
 *     follow
 * @param partitions the descriptor of each partition, for {@link AdbcConnection#readPartition}; the bytes may be sent
 *     to other processes
 * @param affectedRows the number of rows, or -1 if the driver does not know it
 */
public record AdbcPartitions(@Nullable Schema schema, List<byte[]> partitions, long affectedRows) {
  /** Creates the partitions. */
  public AdbcPartitions {
    partitions = List.copyOf(partitions);
  }
}
