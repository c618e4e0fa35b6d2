// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.Map;
import org.arbalest.device.adbc.internal.DatabaseImpl;

/** A database that was opened: what its connections share. */
public sealed interface AdbcDatabase extends AdbcHandle permits DatabaseImpl {
  /** Opens a connection, to be closed by the caller. */
  default AdbcConnection connect() {
    return connect(Map.of());
  }

  /**
   * Opens a connection with options that are set before it is, in the map's order; to be closed by the caller.
   *
   * @param options what the driver calls them; values as {@link AdbcDriver#open}'s
   * @throws AdbcException if the driver refuses an option, or does not connect
   */
  AdbcConnection connect(Map<String, ?> options);
}
