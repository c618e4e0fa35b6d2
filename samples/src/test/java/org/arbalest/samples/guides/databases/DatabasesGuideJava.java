// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides.databases;

import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.*;
import org.arbalest.device.objects.Records;

public final class DatabasesGuideJava {
  record Flight(long id, long delay) {}

  public static void main(String[] args) {
    try (AdbcDatabase database = DuckDbDriver.open(); // in memory
        AdbcConnection connection = database.connect()) {
      connection.execute("CREATE TABLE flights AS SELECT i AS id, i % 90 AS delay FROM range(90000) t(i)");
      try (RecordBatchReader late = connection.query("SELECT * FROM flights WHERE delay > 88 ORDER BY id LIMIT 3")) {
        late.forEach(batch -> Records.of(Flight.class).toList(batch).forEach(System.out::println));
      }
    }
  }
}
