// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.databases;

import java.util.concurrent.atomic.LongAdder;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.Devices;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcStatement;
import org.arbalest.device.builders.BatchBuilder;

/** The snippet of docs/guides/databases.md about parameters. */
final class ParametersJava {
  private ParametersJava() {}

  static long late(AdbcConnection connection, long minutes) {
    LongAdder rows = new LongAdder();
    try (AdbcStatement statement = connection.createStatement();
        BatchBuilder parameters = BatchBuilder.of(Devices.cpu(), 1)) {
      statement.setSqlQuery("SELECT * FROM flights WHERE delay > ?");
      statement.bind(parameters.int64("minutes", new long[] {minutes}).build()); // the statement owns the batch
      try (DeviceArrayReader result = statement.executeQuery()) {
        result.forEach(batch -> rows.add(batch.length()));
      }
    }
    return rows.sum();
  }
}
