// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import org.arbalest.device.adbc.AdbcDatabase;

/** The database of a pool. */
public final class PoolDatabase implements PoolConnections.Source<DriverConnection> {
  private final AdbcDatabase database;

  /** Takes over a database. */
  public PoolDatabase(AdbcDatabase database) {
    this.database = database;
  }

  @Override
  public DriverConnection open() {
    return new DriverConnection(database.connect());
  }

  @Override
  public void close() {
    database.close();
  }

  /** Returns the driver's name. */
  @Override
  public String toString() {
    return database.driver().name();
  }
}
