// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.nio.file.Path;
import java.util.Map;
import org.arbalest.device.adbc.internal.DriverImpl;
import org.arbalest.device.adbc.internal.Platform;

/**
 * An ADBC driver: a native library with a table of functions.
 *
 * <p>The library is never unloaded, since arrays that it made may be released long after the last database was closed.
 * There is nothing to close: what the driver keeps for a database goes with that. Immutable, for any thread.
 */
public sealed interface AdbcDriver permits DriverImpl {
  /**
   * Loads a library, whose init function has one of the names that {@code adbc.h} recommends: for
   * {@code libadbc_driver_sqlite.so.2} these are {@code AdbcDriverSqliteInit}, and {@code AdbcDriverInit}.
   *
   * @throws IllegalArgumentException if there is no such file, it is no library that can be loaded, or it has no such
   *     function: says which names were tried
   * @throws AdbcException if the init function fails, or gives a table that lacks what every driver has
   * @throws IllegalCallerException if native access is not enabled for this module
   */
  static AdbcDriver load(Path library) {
    return DriverImpl.load(library, null);
  }

  /** Loads a library, whose init function has this name; see {@link #load(Path)}. */
  static AdbcDriver load(Path library, String entryPoint) {
    return DriverImpl.load(library, entryPoint);
  }

  /**
   * Finds a driver by its name or path, everywhere; see {@link #load(String, AdbcDriverSearch)}.
   *
   * @param driver such as {@code sqlite}, {@code /opt/adbc/sqlite.toml}, {@code libadbc_driver_sqlite.so}
   */
  static AdbcDriver load(String driver) {
    return load(driver, AdbcDriverSearch.everywhere());
  }

  /**
   * Finds a driver by its name or path, as ADBC's driver manager does. A name without an extension is that of a
   * manifest, {@code NAME.toml}, or of a library, in the folders that are searched; then of a library that the dynamic
   * linker finds. What names a folder is a path to a manifest, which ends with {@code .toml}, or to a library. A
   * library's file name alone, as in {@code libx.so}, is the dynamic linker's, and is never looked for in the working
   * directory; so is one in a manifest, which may name an absolute path otherwise.
   *
   * @throws IllegalArgumentException if there is none: says where it was looked; or a manifest is wrong, or has no
   *     library for this platform
   * @throws AdbcException as {@link #load(Path)}
   */
  static AdbcDriver load(String driver, AdbcDriverSearch search) {
    return DriverImpl.load(Platform.ours(), driver, search);
  }

  /** What the driver is called: its manifest's name, or the library's file name. */
  String name();

  /** The revision of ADBC that it was loaded with: 1.1.0, or 1.0.0 if it knows no other. */
  AdbcVersion version();

  /**
   * Opens a database, to be closed by the caller, with options that are set in the map's order.
   *
   * @param options what the driver calls them, such as {@code path} for DuckDB or {@code uri} for most others; values
   *     are strings, booleans, whole numbers ({@link Long}, {@link Integer}), floating-point numbers ({@link Double})
   *     or {@code byte[]}
   * @throws AdbcException if the driver refuses an option, or does not open the database
   * @throws IllegalArgumentException if a value is of another class
   */
  AdbcDatabase open(Map<String, ?> options);
}
