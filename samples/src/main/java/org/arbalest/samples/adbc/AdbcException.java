// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.adbc;

import java.util.List;

/**
 * A call into an ADBC driver that did not answer {@code ADBC_STATUS_OK}, or an Arrow stream that failed while it was
 * pulled here: then the status is UNKNOWN and the vendor code is the stream's errno.
 */
public final class AdbcException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  static final int OK = 0;
  static final int UNKNOWN = 1;
  static final int NOT_IMPLEMENTED = 2;

  /** The names of {@code adbc.h}, by code, without {@code ADBC_STATUS_}. */
  private static final List<String> STATUS_NAMES =
      List.of(
          "OK",
          "UNKNOWN",
          "NOT_IMPLEMENTED",
          "NOT_FOUND",
          "ALREADY_EXISTS",
          "INVALID_ARGUMENT",
          "INVALID_STATE",
          "INVALID_DATA",
          "INTEGRITY",
          "INTERNAL",
          "IO",
          "CANCELLED",
          "TIMEOUT",
          "UNAUTHENTICATED",
          "UNAUTHORIZED");

  private final String operation;
  private final int statusCode;
  private final int vendorCode;
  private final String sqlState;
  private final String driverMessage;

  AdbcException(String operation, int statusCode, int vendorCode, String sqlState, String driverMessage) {
    super(describe(operation, statusCode, vendorCode, sqlState, driverMessage));
    this.operation = operation;
    this.statusCode = statusCode;
    this.vendorCode = vendorCode;
    this.sqlState = sqlState;
    this.driverMessage = driverMessage;
  }

  /** The ADBC function that failed, and the option or table it was about, if any. */
  public String operation() {
    return operation;
  }

  /** The status by name, as {@code INVALID_ARGUMENT}; {@code STATUS_99} where {@code adbc.h} has no name for it. */
  public String status() {
    return statusName(statusCode);
  }

  /** The status as the driver returned it, 1 to 255. */
  public int statusCode() {
    return statusCode;
  }

  /** The driver's own code; 0, or {@link Integer#MIN_VALUE} from a 1.1.0 driver, when it gives none. */
  public int vendorCode() {
    return vendorCode;
  }

  /** The five characters of SQLSTATE, or an empty string. */
  public String sqlState() {
    return sqlState;
  }

  /** The driver's sentence alone, or an empty string. */
  public String driverMessage() {
    return driverMessage;
  }

  static String statusName(int code) {
    return code >= 0 && code < STATUS_NAMES.size() ? STATUS_NAMES.get(code) : "STATUS_" + code;
  }

  private static String describe(
      String operation, int statusCode, int vendorCode, String sqlState, String driverMessage) {
    var text = new StringBuilder(operation).append(" failed: ");
    text.append(statusName(statusCode)).append(" (").append(statusCode).append(')');
    if (!sqlState.isEmpty()) {
      text.append(", SQLSTATE ").append(sqlState);
    }
    if (vendorCode != 0 && vendorCode != AdbcError.HAS_PRIVATE_DATA) {
      text.append(", vendor code ").append(vendorCode);
    }
    return text.append(": ").append(driverMessage.isEmpty() ? "the driver gave no message" : driverMessage).toString();
  }
}
