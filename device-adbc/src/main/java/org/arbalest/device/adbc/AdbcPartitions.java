// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.List;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A result in parts. They have no order.
 *
 * @param schema of each part; null if the driver gave none, as some do when there are no more parts
 * @param partitions what {@link AdbcConnection#readPartition} wants for each; bytes that may be sent elsewhere
 * @param rowsAffected how many rows, -1 if the driver does not know
 */
public record AdbcPartitions(@Nullable Schema schema, List<byte[]> partitions, long rowsAffected) {
  /** A result in parts. */
  public AdbcPartitions {
    partitions = List.copyOf(partitions);
  }
}
