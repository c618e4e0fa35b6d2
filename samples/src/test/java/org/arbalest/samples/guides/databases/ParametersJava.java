// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.databases;

import java.util.concurrent.atomic.LongAdder;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.AdbcConnection;

/** The snippet of docs/guides/databases.md about parameters. */
final class ParametersJava {
  private ParametersJava() {}

  static long late(AdbcConnection connection, long minutes) {
    LongAdder rows = new LongAdder();
    try (RecordBatchReader result = connection.query("SELECT * FROM flights WHERE delay > ?", minutes)) {
      result.forEach(batch -> rows.add(batch.length()));
    }
    return rows.sum();
  }
}
