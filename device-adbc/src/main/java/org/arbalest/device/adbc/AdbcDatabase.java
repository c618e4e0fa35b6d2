// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.Map;
import org.arbalest.device.adbc.internal.DatabaseImpl;

/** An open database: the state that its connections share. */
public sealed interface AdbcDatabase extends AdbcHandle permits DatabaseImpl {
  /** Opens a connection; the caller closes it. */
  default AdbcConnection connect() {
    return connect(Map.of());
  }

  /**
   * Opens a connection; the caller closes it. Sets the options before the connection is initialized, in the map's
   * order.
   *
   * @param options the driver's option names; values as for {@link AdbcDriver#open}
   * @throws AdbcException if the driver rejects an option, or does not connect
   */
  AdbcConnection connect(Map<String, ?> options);
}
