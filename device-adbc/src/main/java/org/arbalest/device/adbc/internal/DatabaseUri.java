// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.arbalest.device.adbc.AdbcDatabase;
import org.arbalest.device.adbc.AdbcDriver;
import org.arbalest.device.adbc.AdbcDriverSearch;
import org.arbalest.device.adbc.DuckDbDriver;
import org.jspecify.annotations.Nullable;

/**
 * A URI that selects a driver and a database, by the rules of ADBC's driver manager. Errors contain no part of a URI
 * except its scheme, because a URI may have a password.
 *
 * @param driver the name or path of the driver
 * @param uri the driver's option {@code uri}; null for none
 * @param profile the name or path of the connection profile, instead of a driver
 */
public record DatabaseUri(String driver, @Nullable String uri, @Nullable String profile) {
  private static final String DRIVER = "driver";
  private static final String ENTRY_POINT = "entrypoint";
  private static final String URI = "uri";
  private static final String PROFILE = "profile";
  static final String DUCK_DB = "duckdb";

  /** Splits a URI. */
  static DatabaseUri of(String uri) {
    int colon = uri.indexOf(':');
    if (colon <= 1) return new DatabaseUri(uri, null, null); // no scheme, or a drive of Windows
    String scheme = uri.substring(0, colon);
    String rest = uri.substring(colon + 1);
    if (scheme.equals(PROFILE) && rest.startsWith("//")) return new DatabaseUri("", null, rest.substring(2));
    return new DatabaseUri(scheme, rest.startsWith("/") ? uri : rest, null);
  }

  /**
   * Opens the database of a URI.
   *
   * @param duckDb returns the driver of DuckDB's jar; null if the jar is missing
   */
  public static AdbcDatabase open(Platform platform, String uri, Map<String, ?> options,
      Supplier<@Nullable AdbcDriver> duckDb) {
    Objects.requireNonNull(uri, URI);
    Objects.requireNonNull(options, "options");
    checkHasDriver(uri);
    Map<String, Object> all = new LinkedHashMap<>();
    DatabaseUri database = of(uri);
    if (options.containsKey(PROFILE)) throw new IllegalArgumentException(
        "a profile was passed as the option profile; pass the URI profile://NAME instead");
    if (database.profile != null) {
      Profile profile = Profile.find(platform, database.profile);
      all.putAll(profile.options());
      all.putAll(options);
      database = ofProfile(profile, all);
    } else {
      all.putAll(options);
      if (database.uri != null && all.putIfAbsent(URI, database.uri) != null)
        throw new IllegalArgumentException("the URI was passed twice: as the argument, and as the option uri");
    }
    String named = text(all, DRIVER);
    String driver = named == null ? database.driver : named;
    String entryPoint = text(all, ENTRY_POINT);
    if (driver.equals(DUCK_DB) && (entryPoint == null || entryPoint.equals(DuckDbDriver.ENTRY_POINT))) {
      AdbcDriver ofJar = duckDb.get();
      if (ofJar != null) return ofJar.open(all);
    }
    AdbcDriverSearch search = AdbcDriverSearch.everywhere();
    return DriverImpl.load(platform, driver, entryPoint == null ? search : search.by(entryPoint)).open(all);
  }

  /** Throws if a text cannot begin with a driver, such as the connection string of another interface. */
  private static void checkHasDriver(String uri) {
    if (uri.isEmpty()) throw new IllegalArgumentException("the URI of the database is empty");
    if (uri.startsWith("jdbc:")) throw new IllegalArgumentException(
        "the URI of the database begins with jdbc:, but needs an ADBC driver; remove jdbc:, and check the rest in the "
            + "documentation of that driver");
    String driver = of(uri).driver;
    if (driver.indexOf('=') >= 0 || driver.indexOf('@') >= 0) { // without the text, which may have a password
      if (!Files.exists(Path.of(driver))) throw new IllegalArgumentException(
          "the URI of the database has no scheme, and is not the path of a driver; use a form such as "
              + "postgresql://host/database");
    }
  }

  /** Returns the driver of a profile, of the options or of their URI, in this order. */
  private static DatabaseUri ofProfile(Profile profile, Map<String, Object> all) {
    Object named = all.get(DRIVER);
    if (profile.driver() != null) {
      if (named != null && !named.equals(profile.driver())) throw new IllegalArgumentException("the connection profile "
          + profile.file() + " is for the driver " + profile.driver() + ", but the option driver is " + named);
      return new DatabaseUri(profile.driver(), null, null);
    }
    if (named != null) return new DatabaseUri("", null, null);
    if (!(all.get(URI) instanceof String uri)) throw new IllegalArgumentException("the connection profile "
        + profile.file() + " has no driver and no uri; add one, or pass the option driver");
    DatabaseUri database = of(uri);
    if (database.profile != null) throw new IllegalArgumentException(
        "the connection profile " + profile.file() + " refers to another profile, which ADBC does not allow");
    if (database.uri != null) all.put(URI, database.uri);
    return database;
  }

  /** Removes an option that is not the driver's; null if it is missing. */
  private static @Nullable String text(Map<String, Object> options, String key) {
    Object value = options.remove(key);
    if (value != null && !(value instanceof String))
      throw new IllegalArgumentException("the option " + key + " is not a string");
    return (String) value;
  }

  /** Returns the scheme only. */
  @Override
  public String toString() {
    return profile == null ? driver : PROFILE;
  }
}
