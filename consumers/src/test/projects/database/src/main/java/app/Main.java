// SPDX-License-Identifier: Apache-2.0
package app;

import java.time.Duration;
import java.util.List;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.Adbc;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcPool;

/** Fills and queries a database by a connection profile, with a pool of connections and with parameters. */
public final class Main {
  private Main() {}

  public static void main(String[] args) throws Exception {
    try (AdbcPool pool = AdbcPool.of(Adbc.open("profile://flights"), 2, Duration.ofSeconds(5))) {
      try (AdbcPool.Lease lease = pool.acquire()) {
        fill(lease.connection());
      }
      try (AdbcPool.Lease lease = pool.acquire()) {
        System.out.println("late " + late(lease.connection(), 60));
      }
      System.out.println("connections " + pool.statistics().created());
    }
    System.out.println("from " + RecordBatch.class.getProtectionDomain().getCodeSource().getLocation());
  }

  private static void fill(AdbcConnection connection) {
    connection.execute("CREATE TABLE flights (id BIGINT, delay BIGINT)");
    connection.executeMany("INSERT INTO flights VALUES (?, ?)",
        List.of(List.of(1L, 15L), List.of(2L, 75L), List.of(3L, 90L)));
  }

  private static long late(AdbcConnection connection, long minutes) {
    long[] rows = new long[1];
    try (RecordBatchReader result = connection.query("SELECT id FROM flights WHERE delay > ?", minutes)) {
      result.forEach(batch -> rows[0] += batch.length());
    }
    return rows[0];
  }
}
