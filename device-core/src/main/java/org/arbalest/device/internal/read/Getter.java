// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

/**
 * A getter of a column: the name of the method, and the description of its values. {@link Getters} knows the types that
 * it reads.
 */
enum Getter {
  BOOLEAN("getBoolean", "a boolean"),
  LONG("getLong", "an integer"),
  INT("getInt", "an integer"),
  DOUBLE("getDouble", "a number"),
  DECIMAL("getDecimal", "a decimal"),
  STRING("getString", "text"),
  BYTES("getBytes", "bytes"),
  DATE("getLocalDate", "a date"),
  TIME("getLocalTime", "a time of day"),
  INSTANT("getInstant", "a point in time"),
  DATE_TIME("getLocalDateTime", "a date and time"),
  ZONED_DATE_TIME("getZonedDateTime", "a date and time in a zone"),
  OFFSET_DATE_TIME("getOffsetDateTime", "a point in time with an offset"),
  DURATION("getDuration", "a length of time"),
  PERIOD("getPeriod", "a period"),
  INTERVAL("getInterval", "an interval"),
  LIST("getList", "a list"),
  MAP("getMap", "a map"),
  UUID("getUuid", "a UUID"),
  TENSOR("getTensor", "a tensor"),

  /** {@code getTypeId} and {@code getChildRow}. */
  UNION("getTypeId", "a union"),

  /** Reads any type. */
  ANY("get", "an object");

  final String method;
  final String what;

  Getter(String method, String what) {
    this.method = method;
    this.what = what;
  }
}
