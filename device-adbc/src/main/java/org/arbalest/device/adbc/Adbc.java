// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.Map;
import org.arbalest.device.adbc.internal.DatabaseUri;
import org.arbalest.device.adbc.internal.Platform;

/**
 * Connections by URI, without a driver object:
 *
 * <p>{@snippet :
 * try (AdbcConnection connection = Adbc.connect("postgresql://localhost/flights")) {
 *   connection.execute("DELETE FROM flights WHERE delay > ?", 600);
 * }
 * }
 *
 * <p>The forms of a URI are those of ADBC's driver manager:
 *
 * <ul>
 *   <li>{@code postgresql://localhost/flights}: the scheme is the driver's name, and the driver receives the URI;
 *   <li>{@code sqlite:file:flights.db}: the driver {@code sqlite} receives the rest, without a slash after the first
 *       colon;
 *   <li>{@code sqlite}: a driver without a URI;
 *   <li>{@code profile://NAME}: the driver and the options of a connection profile. It is a file {@code NAME.toml} in
 *       a folder of {@code ADBC_PROFILE_PATH}, or in the folder {@code profiles} beside the drivers of the active
 *       Python or Conda environment or of the user ({@link AdbcDriverSearch}); {@code profile:///folder/file.toml} is
 *       its path. In its text options, <code>{{ env_var(NAME) }}</code> is the value of an environment variable, or
 *       empty.
 * </ul>
 *
 * <p>{@link AdbcDriver#load(String)} finds the driver. The driver {@code duckdb} is that of {@link DuckDbDriver}, if
 * its jar is on the class path. Any thread may use this class.
 */
@CheckReturnValue
public final class Adbc {
  private Adbc() {}

  /** Connects to a database; see {@link #connect(String, Map)}. */
  public static AdbcConnection connect(String uri) {
    return connect(uri, Map.of());
  }

  /**
   * Opens a database, and a connection to it. The caller closes the connection, which closes the database too.
   *
   * @param options as for {@link #open(String, Map)}
   */
  public static AdbcConnection connect(String uri, Map<String, ?> options) {
    try (AdbcDatabase database = open(uri, options)) {
      return database.connect(); // keeps the database open
    }
  }

  /** Opens a database; see {@link #open(String, Map)}. */
  public static AdbcDatabase open(String uri) {
    return open(uri, Map.of());
  }

  /**
   * Opens a database, for several connections; the caller closes it.
   *
   * @param options the driver's options; see {@link AdbcDriver#open}. They override those of a profile. {@code driver}
   *     is another driver than the scheme's, by name or path, and {@code entrypoint} its init function
   * @throws IllegalArgumentException if the driver or the profile is not found, and the message lists the searched
   *     places; if the profile is wrong; or if URI, options and profile contradict each other. No message has values
   * @throws AdbcException if the driver rejects an option, or does not open the database
   */
  public static AdbcDatabase open(String uri, Map<String, ?> options) {
    return DatabaseUri.open(Platform.ours(), uri, options, DuckDbDriver::loadIfPresent);
  }
}
