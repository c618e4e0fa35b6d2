// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.Collections;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The driver's information about its database and about itself, by the codes of {@code adbc.h}. Codes that the driver
 * does not know are absent.
 *
 * @param values by code: String, Boolean, Long, a List of String, or a Map of Long to a List of Long (an empty map is
 *     an empty List). Values and elements of a List may be null
 */
public record AdbcInfo(Map<Integer, @Nullable Object> values) {
  /** Creates the information. */
  public AdbcInfo {
    values = Collections.unmodifiableMap(new TreeMap<>(values));
  }

  /**
   * Returns the value of a code, such as 500 to 999 for the values that JDBC and ODBC request; null if it is null or
   * absent.
   */
  public @Nullable Object get(int code) {
    return values.get(code);
  }

  /** Returns the database's name, or null if unknown. */
  public @Nullable String vendorName() {
    return text(0);
  }

  /** Returns the database's version, or null if unknown. */
  public @Nullable String vendorVersion() {
    return text(1);
  }

  /** Returns the version of the Arrow library in the database, or null if unknown. */
  public @Nullable String vendorArrowVersion() {
    return text(2);
  }

  /** Returns whether the database reports that it accepts SQL; false if it reports nothing. */
  public boolean takesSql() {
    return Boolean.TRUE.equals(get(3));
  }

  /** Returns whether the database reports that it accepts Substrait; false if it reports nothing. */
  public boolean takesSubstrait() {
    return Boolean.TRUE.equals(get(4));
  }

  /** Returns the lowest Substrait version that the database accepts, or null if unknown. */
  public @Nullable String substraitMinVersion() {
    return text(5);
  }

  /** Returns the highest Substrait version that the database accepts, or null if unknown. */
  public @Nullable String substraitMaxVersion() {
    return text(6);
  }

  /** Returns the driver's name, or null if unknown. */
  public @Nullable String driverName() {
    return text(100);
  }

  /** Returns the driver's version, or null if unknown. */
  public @Nullable String driverVersion() {
    return text(101);
  }

  /** Returns the version of the Arrow library in the driver, or null if unknown. */
  public @Nullable String driverArrowVersion() {
    return text(102);
  }

  /** Returns the driver's ADBC revision, such as 1001000 for 1.1.0. */
  public OptionalLong driverAdbcVersion() {
    return get(103) instanceof Long version ? OptionalLong.of(version) : OptionalLong.empty();
  }

  private @Nullable String text(int code) {
    return get(code) instanceof String text ? text : null;
  }
}
