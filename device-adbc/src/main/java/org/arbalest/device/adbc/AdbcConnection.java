// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.adbc.internal.ConnectionImpl;

/** A connection to a database. What several threads are to do at the same time takes a connection each. */
public sealed interface AdbcConnection extends AdbcHandle permits ConnectionImpl {
  /** Makes a statement, to be closed by the caller. */
  AdbcStatement createStatement();

  /**
   * Executes a query, by a statement of its own.
   *
   * @return the result, to be closed by the caller; see {@link AdbcStatement#executeQuery()}
   */
  default DeviceArrayReader query(String sql) {
    try (AdbcStatement statement = createStatement()) {
      return statement.query(sql); // which keeps what it needs of the statement
    }
  }

  /**
   * Executes a query for its effect, by a statement of its own.
   *
   * @return how many rows it affected, -1 if the driver does not know
   */
  default long execute(String sql) {
    try (AdbcStatement statement = createStatement()) {
      return statement.execute(sql);
    }
  }

  /**
   * Fills a table with batches.
   *
   * @param batches in main memory; closed when this returns or throws
   * @return how many rows, -1 if the driver does not know
   * @throws AdbcException if the driver does not, as with a table that exists, or a type that the database lacks; what it has stored until then stays there, unless autocommit is off
   */
  default long ingest(AdbcIngest target, DeviceArrayReader batches) {
    try (batches;
        AdbcStatement statement = createStatement()) {
      statement.setIngest(target);
      statement.bind(batches);
      return statement.executeUpdate();
    }
  }

  /** Makes a table of batches; fails if there is one of that name. See {@link #ingest(AdbcIngest, DeviceArrayReader)}. */
  default long ingest(String table, DeviceArrayReader batches) {
    return ingest(AdbcIngest.into(table), batches);
  }

  /** Fills a table with a batch, which is closed when this returns or throws; see {@link #ingest(AdbcIngest, DeviceArrayReader)}. */
  default long ingest(AdbcIngest target, DeviceArray batch) {
    try (batch;
        AdbcStatement statement = createStatement()) {
      statement.setIngest(target);
      statement.bind(batch);
      return statement.executeUpdate();
    }
  }

  /**
   * Reads a part of a result that {@link AdbcStatement#executePartitions} told of, perhaps to another connection.
   *
   * @return the part, to be closed by the caller
   */
  DeviceArrayReader readPartition(byte[] partition);

  /** Asks the driver to give up metadata or a partition that is being read; like {@link AdbcStatement#cancel}. */
  void cancel();
}
