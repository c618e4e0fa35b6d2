// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.Map;
import org.arbalest.device.adbc.internal.DatabaseImpl;

/** An open database: the state that its connections share. */
@CheckReturnValue
public sealed interface AdbcDatabase extends AdbcHandle permits DatabaseImpl {
  /** Opens a connection; the caller closes it. */
  default AdbcConnection connect() {
    return connect(Map.of());
  }

  /**
   * Opens a connection; the caller closes it. Sets the options before the connection is initialized, in the map's
   * order.
   *
   * <p><b>Threads.</b> Connections of one database are opened and released one at a time, as {@code adbc.h} requires. A
   * driver that waits for its server delays the others, so set the driver's time limit, such as {@code
   * connect_timeout} in PostgreSQL's URI. To open connections in parallel, open the database more than once, as {@link
   * AdbcPool#of(java.util.function.Supplier, AdbcPoolOptions)} does. The wait for another thread's call ends when this
   * thread is interrupted; ADBC cannot cancel the driver's own call.
   *
   * @param options the driver's option names; values as for {@link AdbcDriver#open}
   * @throws AdbcException if the driver rejects an option, or does not connect; with {@link AdbcStatus#CANCELLED} if
   *     the thread is interrupted while another thread opens or releases a connection
   */
  AdbcConnection connect(Map<String, ?> options);
}
