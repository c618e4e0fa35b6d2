// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.adbc;

import java.lang.foreign.MemorySegment;

/** A connection to a database; closing it closes its statements. Threads that work at the same time take one each. */
public final class AdbcConnection extends AdbcHandle {
  private AdbcConnection(AdbcDatabase database, MemorySegment struct) {
    super(
        "connection",
        database.driver,
        struct,
        AdbcFunction.CONNECTION_SET_OPTION,
        AdbcFunction.CONNECTION_RELEASE,
        database);
  }

  /** Called while the database's monitor is held. */
  static AdbcConnection open(AdbcDatabase database) {
    AdbcDriver driver = database.driver;
    MemorySegment struct = driver.newHandle();
    driver.call(AdbcFunction.CONNECTION_NEW, struct);
    initOrRelease(
        driver,
        AdbcFunction.CONNECTION_RELEASE,
        struct,
        () -> driver.call(AdbcFunction.CONNECTION_INIT, struct, database.struct));
    return new AdbcConnection(database, struct);
  }

  /** Creates a statement; the caller closes it. */
  public synchronized AdbcStatement createStatement() {
    checkOpen();
    return adopt(AdbcStatement.open(this));
  }
}
