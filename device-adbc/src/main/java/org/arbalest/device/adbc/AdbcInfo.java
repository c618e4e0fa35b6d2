// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.Collections;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a driver says of its database and of itself, by the codes of {@code adbc.h}; codes that it does not know are not
 * there.
 *
 * @param values String, Boolean, Long, a List of String, or a Map of Long to a List of Long (an empty one is an empty
 *     List); by code. Values may be null, and what is in a List
 */
public record AdbcInfo(Map<Integer, @Nullable Object> values) {
  /** What is known. */
  public AdbcInfo {
    values = Collections.unmodifiableMap(new TreeMap<>(values));
  }

  /** The value of a code, such as 500 to 999 for what JDBC and ODBC ask; null if it is null, or not there. */
  public @Nullable Object get(int code) {
    return values.get(code);
  }

  /** The database's name. */
  public @Nullable String vendorName() {
    return text(0);
  }

  /** The database's version. */
  public @Nullable String vendorVersion() {
    return text(1);
  }

  /** The version of the Arrow library in the database. */
  public @Nullable String vendorArrowVersion() {
    return text(2);
  }

  /** Whether the database says that it takes SQL; false as well where it says nothing. */
  public boolean takesSql() {
    return Boolean.TRUE.equals(get(3));
  }

  /** Whether the database says that it takes Substrait; false as well where it says nothing. */
  public boolean takesSubstrait() {
    return Boolean.TRUE.equals(get(4));
  }

  /** The lowest version of Substrait that the database takes. */
  public @Nullable String substraitMinVersion() {
    return text(5);
  }

  /** The highest version of Substrait that the database takes. */
  public @Nullable String substraitMaxVersion() {
    return text(6);
  }

  /** The driver's name. */
  public @Nullable String driverName() {
    return text(100);
  }

  /** The driver's version. */
  public @Nullable String driverVersion() {
    return text(101);
  }

  /** The version of the Arrow library in the driver. */
  public @Nullable String driverArrowVersion() {
    return text(102);
  }

  /** The revision of ADBC that the driver is of, as 1001000 for 1.1.0. */
  public OptionalLong driverAdbcVersion() {
    return get(103) instanceof Long version ? OptionalLong.of(version) : OptionalLong.empty();
  }

  private @Nullable String text(int code) {
    return get(code) instanceof String text ? text : null;
  }
}
