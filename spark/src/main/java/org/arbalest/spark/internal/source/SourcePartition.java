// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;
import org.arbalest.spark.ColumnPartition;

/** A user's partition on its way to an executor. */
record SourcePartition(ColumnPartition partition, List<String> hosts) implements InputPartition {
  static SourcePartition of(ColumnPartition partition) {
    return new SourcePartition(partition, List.copyOf(partition.preferredHosts()));
  }

  @Override
  public String[] preferredLocations() {
    return hosts.toArray(String[]::new);
  }
}
