// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import com.google.errorprone.annotations.CheckReturnValue;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.arbalest.device.adbc.internal.DriverImpl;
import org.arbalest.device.adbc.internal.Platform;

/**
 * An ADBC driver: a native library with a table of functions.
 *
 * <p>The library is never unloaded, because its arrays may be released long after the last database is closed. A driver
 * needs no close: the memory of a database is released with that database. Immutable; any thread may use it.
 */
public sealed interface AdbcDriver permits DriverImpl {
  /**
   * Loads a library whose init function has one of the names that {@code adbc.h} recommends. For {@code
   * libadbc_driver_sqlite.so.2} these are {@code AdbcDriverSqliteInit} and {@code AdbcDriverInit}.
   *
   * @throws IllegalArgumentException if the file does not exist, is not a loadable library, or has no such function;
   *     the message lists the names
   * @throws AdbcException if the init function fails, or its table lacks a function that every driver has
   * @throws IllegalCallerException if native access is not enabled for this module
   */
  static AdbcDriver load(Path library) {
    return DriverImpl.load(library, null);
  }

  /** Loads a library whose init function has this name; see {@link #load(Path)}. */
  static AdbcDriver load(Path library, String entryPoint) {
    return DriverImpl.load(library, entryPoint);
  }

  /**
   * Finds a driver by its name or path in all standard places; see {@link #load(String, AdbcDriverSearch)}.
   *
   * @param driver such as {@code sqlite}, {@code /opt/adbc/sqlite.toml}, {@code libadbc_driver_sqlite.so}
   */
  static AdbcDriver load(String driver) {
    return load(driver, AdbcDriverSearch.everywhere());
  }

  /**
   * Finds a driver by its name or path, by the rules of ADBC's driver manager.
   *
   * <p>A name without an extension is the name of a manifest, {@code NAME.toml}, or of a library, such as {@code
   * libadbc_driver_NAME.so}, {@code adbc_driver_NAME.so} or {@code libNAME.so}, in the searched folders; if none is
   * found, the dynamic linker searches for a library. A value with a folder is a path to a
   * manifest, which ends with {@code .toml}, or to a library. The dynamic linker finds a library's file name without a
   * folder, such as {@code libx.so}; it is never searched in the working directory. The same applies to a file name in
   * a manifest; other paths in a manifest must be absolute.
   *
   * @throws IllegalArgumentException if no driver is found, and the message lists the searched places, the file names
   *     and similar names; or if a manifest is wrong or has no library for this platform
   * @throws AdbcException as for {@link #load(Path)}
   */
  static AdbcDriver load(String driver, AdbcDriverSearch search) {
    return DriverImpl.load(Platform.ours(), driver, search);
  }

  /** Returns the driver's name: its manifest's name, or the library's file name. */
  String name();

  /**
   * Returns this driver, loaded with a later ADBC revision. {@link #load} requests 1.1.0, so functions of a draft are
   * available only by {@code request(AdbcVersion.V1_2_0)}. A driver that does not support the revision is loaded with
   * the latest earlier one that it supports; {@link #version} returns it.
   *
   * <p>The draft can change. A driver of another draft may have other functions in the same places, and calling them
   * can crash the process: request it only from drivers that follow the draft of August 2026.
   *
   * @throws AdbcException as for {@link #load(Path)}
   */
  @Experimental
  AdbcDriver request(AdbcVersion version);

  /**
   * Returns the options that the driver supports for a kind of handle.
   *
   * @throws AdbcException with {@link AdbcStatus#NOT_IMPLEMENTED} if the driver cannot list its options, or 1.2.0 was
   *     not requested
   */
  @Experimental
  List<AdbcOption> options(AdbcOption.Level level);

  /**
   * Returns the ADBC revision with which the driver was loaded: 1.1.0 or the {@linkplain #request requested} one, or an
   * earlier one if the driver supports only that.
   */
  AdbcVersion version();

  /**
   * Opens a database, with options that are set in the map's order; the caller closes the database.
   *
   * @param options the driver's option names, such as {@code path} for DuckDB or {@code uri} for most others. Values
   *     are strings, booleans, whole numbers ({@link Long}, {@link Integer}), floating-point numbers ({@link Double})
   *     or {@code byte[]}
   * @throws AdbcException if the driver rejects an option, or does not open the database
   * @throws IllegalArgumentException if a value has another class
   */
  @CheckReturnValue
  AdbcDatabase open(Map<String, ?> options);
}
