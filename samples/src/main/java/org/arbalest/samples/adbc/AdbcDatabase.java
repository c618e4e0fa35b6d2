// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.adbc;

import java.lang.foreign.MemorySegment;
import java.util.Map;

/** An open database; closing it closes its connections. */
public final class AdbcDatabase extends AdbcHandle {
  private AdbcDatabase(AdbcDriver driver, MemorySegment struct) {
    super("database", driver, struct, AdbcFunction.DATABASE_SET_OPTION, AdbcFunction.DATABASE_RELEASE, null);
  }

  static AdbcDatabase open(AdbcDriver driver, Map<String, String> options) {
    MemorySegment struct = driver.newHandle();
    driver.call(AdbcFunction.DATABASE_NEW, struct);
    initOrRelease(
        driver,
        AdbcFunction.DATABASE_RELEASE,
        struct,
        () -> {
          options.forEach((k, v) -> setOption(driver, AdbcFunction.DATABASE_SET_OPTION, struct, k, v));
          driver.call(AdbcFunction.DATABASE_INIT, struct);
        });
    return new AdbcDatabase(driver, struct);
  }

  /** Opens a connection; the caller closes it. */
  public synchronized AdbcConnection connect() {
    checkOpen();
    return adopt(AdbcConnection.open(this));
  }
}
