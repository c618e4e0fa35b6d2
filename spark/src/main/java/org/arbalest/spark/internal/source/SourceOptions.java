// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.source;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The options of a DataFrame's reader.
 *
 * @param given the options, with the case of the user's names
 * @param source the name of the user's class
 * @param truncatesNanos whether digits below one microsecond are dropped instead of rejected
 */
record SourceOptions(Map<String, String> given, String source, boolean truncatesNanos) {
  private static final String SOURCE = "source";
  private static final String NANOSECONDS = "nanoseconds";

  static SourceOptions of(CaseInsensitiveStringMap options) {
    String source = options.get(SOURCE);
    if (source == null) throw new IllegalArgumentException(
        "format(\"arbalest\") needs option(\"source\", …): the name of a class that implements "
            + "org.arbalest.spark.ColumnSource");
    String nanoseconds = options.getOrDefault(NANOSECONDS, "refuse");
    boolean truncates =
        switch (nanoseconds) {
          case "refuse" -> false;
          case "truncate" -> true;
          default -> throw new IllegalArgumentException(
              "the option " + NANOSECONDS + " is " + nanoseconds + ", but must be refuse or truncate");
        };
    // Spark's own map has names in lower case
    return new SourceOptions(Map.copyOf(options.asCaseSensitiveMap()), source, truncates);
  }

  /** Omits the options, which may contain passwords. */
  @Override
  public String toString() {
    return "the options of " + source;
  }

  /** Returns all options in the case of the user's names. A lookup ignores the case. */
  Map<String, String> all() {
    var all = new TreeMap<String, String>(String.CASE_INSENSITIVE_ORDER);
    all.putAll(given);
    return Collections.unmodifiableMap(all);
  }
}
