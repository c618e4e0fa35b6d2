// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The options of a database, which reads and writes have in common. */
public final class AdbcOptions {
  private static final String DATABASE = "database.";
  private static final String CONNECTION = "connection.";

  private AdbcOptions() {}

  /** Returns the database that the options name. */
  public static AdbcParts.Database database(Map<String, String> options) {
    String driver = required(options, "driver");
    if (driver.contains("://") && !driver.startsWith(AdbcParts.Database.PROFILE)) // without it: it may have a password
      throw new IllegalArgumentException(
          "option(\"driver\", …) is a URI, but not of a connection profile: give the name or "
              + "the library of a driver, and the URI as option(\"database.uri\", …)");
    return new AdbcParts.Database(driver, options.get("entrypoint"), behind(DATABASE, options),
        behind(CONNECTION, options));
  }

  /** Returns the value of an option that the user must give. */
  public static String required(Map<String, String> options, String name) {
    String value = options.get(name);
    if (value == null) throw new IllegalArgumentException("AdbcSource needs option(\"" + name + "\", …)");
    return value;
  }

  /** Returns the quotation mark of names. */
  public static String quote(Map<String, String> options) {
    return options.getOrDefault("quote", "\"");
  }

  /** Returns a name in quotation marks. */
  public static String quoted(String name, String quote) {
    return quote + name.replace(quote, quote + quote) + quote;
  }

  /**
   * Checks the names of options.
   *
   * @param names the names that exist beside those of the database and its connections
   * @param user the words that begin the error
   */
  public static void check(Map<String, String> options, List<String> names, String user) {
    for (String name : options.keySet()) {
      String lower = name.toLowerCase(Locale.ROOT);
      if (!lower.startsWith(DATABASE) && !lower.startsWith(CONNECTION)
          && names.stream().noneMatch(name::equalsIgnoreCase)) {
        throw new IllegalArgumentException(
            user + " has no option " + name + "; it has " + String.join(", ", names)
                + ", and the driver's own as database.… and connection.…, such as database.uri");
      }
    }
  }

  private static Map<String, String> behind(String prefix, Map<String, String> options) {
    var found = new TreeMap<String, String>();
    options.forEach((key, value) -> {
      if (key.toLowerCase(Locale.ROOT).startsWith(prefix)) found.put(key.substring(prefix.length()), value);
    });
    return found;
  }
}
