// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.Map;
import java.util.Objects;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcDatabase;

/** The implementation of {@link AdbcDatabase}. */
public final class DatabaseImpl extends HandleImpl implements AdbcDatabase {
  DatabaseImpl(DriverImpl driver, NativeHandle handle) {
    super(driver, handle, OptionFunctions.DATABASE);
  }

  @Override
  public AdbcConnection connect(Map<String, ?> options) {
    Objects.requireNonNull(options, "options");
    enter();
    try {
      handle.lock.deferred.releaseFirst();
      return new ConnectionImpl(driverImpl(), NativeHandle.open(NativeHandle.Kind.CONNECTION, handle.driver,
          new ConnectionLock(), handle, opening(options)));
    } finally {
      leave();
    }
  }

  private NativeHandle.Opening opening(Map<String, ?> options) {
    return new NativeHandle.Opening() {
      @Override
      public void make(NativeHandle connection) {
        handle.driver.call(AdbcFunction.CONNECTION_NEW,
            (f, error) -> Signatures.pp(f, connection.struct, error));
      }

      @Override
      public void finish(NativeHandle connection) {
        options.forEach((key, value) -> OptionFunctions.CONNECTION.setAny(connection, key, value));
        handle.driver.call(AdbcFunction.CONNECTION_INIT,
            (f, error) -> Signatures.ppp(f, connection.struct, handle.struct, error));
      }
    };
  }
}
