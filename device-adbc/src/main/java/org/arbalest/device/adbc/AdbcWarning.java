// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.Objects;
import java.util.OptionalInt;

/**
 * A warning of a database or its driver, such as a lossy conversion. {@link AdbcConnection#setWarningHandler} receives
 * it.
 *
 * @param message the driver's message
 * @param sqlState the five characters of SQLSTATE, or an empty string
 * @param vendorCode the database's own number, if the driver reports one
 */
@Experimental
public record AdbcWarning(String message, String sqlState, OptionalInt vendorCode) {
  /** Checks that no component is null. */
  public AdbcWarning {
    Objects.requireNonNull(message, "message");
    Objects.requireNonNull(sqlState, "sqlState");
    Objects.requireNonNull(vendorCode, "vendorCode");
  }
}
