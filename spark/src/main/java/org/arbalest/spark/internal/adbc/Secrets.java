// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.arbalest.device.adbc.AdbcException;

/**
 * Removes the values of options, and all texts in quotes, from the errors of drivers that open or connect. Libpq for
 * example quotes a URI that it cannot read, or the part in the place of another option.
 */
final class Secrets {
  /** Shorter values would be found in other words. */
  private static final int LEAST = 4;

  private static final Pattern PASSWORD = Pattern.compile("://[^/?#:]*:([^/?#]*)@");

  private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"");

  /** From the first quote to the last: for values with quotes. */
  private static final Pattern ALL_QUOTED = Pattern.compile("\".*\"", Pattern.DOTALL);

  private Secrets() {}

  /** Makes a call of a driver, whose error is thrown without the values of the options. */
  static <T> T hiding(Map<String, String> options, Supplier<T> call) {
    try {
      return call.get();
    } catch (AdbcException e) {
      throw without(options, e);
    }
  }

  private static AdbcException without(Map<String, String> options, AdbcException error) {
    String message = error.driverMessage();
    String hidden = message;
    for (String secret : secrets(options)) hidden = hidden.replace(secret, "***");
    boolean hasQuotes = options.values().stream().anyMatch(value -> value.contains("\"") || value.contains("%22"));
    hidden = (hasQuotes ? ALL_QUOTED : QUOTED).matcher(hidden).replaceAll("\"***\"");
    if (hidden.equals(message)) return error;
    AdbcException.Builder builder =
        AdbcException.of(error.operation(), error.statusCode()).sqlState(error.sqlState()).message(hidden);
    error.vendorCode().ifPresent(builder::vendorCode);
    AdbcException safe = builder.build();
    safe.setStackTrace(error.getStackTrace());
    return safe;
  }

  /** Returns the values, the longest first, and the passwords of URIs. */
  private static List<String> secrets(Map<String, String> options) {
    var all = new ArrayList<String>();
    for (String value : options.values()) {
      if (value.length() >= LEAST) all.add(value);
      Matcher password = PASSWORD.matcher(value);
      if (password.find() && !password.group(1).isEmpty()) all.add(password.group(1));
    }
    all.sort(Comparator.comparingInt(String::length).reversed());
    return all;
  }
}
