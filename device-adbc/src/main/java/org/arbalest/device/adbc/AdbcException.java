// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.jspecify.annotations.Nullable;

/**
 * An error from an ADBC driver: of a call, or in the middle of a result, when {@link
 * org.arbalest.device.DeviceArrayReader#next} throws it. The {@link #errno} is that of the stream, or the one closest
 * to the status.
 */
public final class AdbcException extends DeviceException {
  private static final long serialVersionUID = 1L;

  private static final int MOST_SQL = 200;

  private final String operation;
  private final int statusCode;
  private final @Nullable Integer vendorCode;
  private final String sqlState;
  private final String driverMessage;
  private final AdbcErrorDetail[] details;

  private AdbcException(Builder of, int errno) {
    super(errno, of.describe());
    this.operation = of.operation;
    this.statusCode = of.statusCode;
    this.vendorCode = of.vendorCode;
    this.sqlState = of.sqlState;
    this.driverMessage = of.driverMessage;
    this.details = of.details.toArray(AdbcErrorDetail[]::new);
  }

  /** Returns the function of {@code adbc.h} that failed, with the affected option or table, if any, in parentheses. */
  public String operation() {
    return operation;
  }

  /** Returns the kind of error. */
  public AdbcStatus status() {
    return AdbcStatus.of(statusCode);
  }

  /** Returns the number that the driver returned, 1 to 255, even if {@code adbc.h} has no name for it. */
  public int statusCode() {
    return statusCode;
  }

  /** Returns the database's own error number, if the driver reported one. */
  public OptionalInt vendorCode() {
    return vendorCode == null ? OptionalInt.empty() : OptionalInt.of(vendorCode);
  }

  /** Returns the five characters of SQLSTATE, or an empty string. */
  public String sqlState() {
    return sqlState;
  }

  /** Returns the driver's own message, or an empty string. */
  public String driverMessage() {
    return driverMessage;
  }

  /** Returns additional details; only some drivers of ADBC 1.1.0 have any. */
  public List<AdbcErrorDetail> details() {
    return List.of(details);
  }

  /** Returns the class and the message, which contains the status. */
  @Override
  @SuppressWarnings("OverrideThrowableToString") // the status is more precise than the errno
  public String toString() {
    return getClass().getName() + ": " + getMessage();
  }

  /** Returns a builder of an error, for this module and for tests of error handlers. */
  public static Builder of(String operation, int statusCode) {
    return new Builder(operation, statusCode);
  }

  /** The parts of an {@link AdbcException}. */
  public static final class Builder {
    private final String operation;
    private final int statusCode;
    private int errno;
    private @Nullable Integer vendorCode;
    private String sqlState = "";
    private String driverMessage = "";
    private @Nullable String driver;
    private @Nullable String sql;
    private @Nullable String after;
    private List<AdbcErrorDetail> details = List.of();

    private Builder(String operation, int statusCode) {
      if (statusCode <= 0) throw new IllegalArgumentException("status " + statusCode + " is not an error");
      this.operation = Objects.requireNonNull(operation, "operation");
      this.statusCode = statusCode;
    }

    /** Sets the name of the driver. */
    public Builder driver(String name) {
      this.driver = name;
      return this;
    }

    /** Sets the errno of the failed stream; by default it is the one closest to the status. */
    public Builder errno(int code) {
      this.errno = code;
      return this;
    }

    /** Sets the database's own error number. */
    public Builder vendorCode(int code) {
      this.vendorCode = code;
      return this;
    }

    /** Sets the SQLSTATE: five characters, or an empty string. */
    public Builder sqlState(String state) {
      this.sqlState = Objects.requireNonNull(state, "state");
      return this;
    }

    /** Sets the driver's message; may be empty. */
    public Builder message(String text) {
      this.driverMessage = Objects.requireNonNull(text, "text");
      return this;
    }

    /** Sets the query; the message contains its beginning. */
    public Builder sql(@Nullable String query) {
      this.sql = query;
      return this;
    }

    /**
     * Sets the call of the connection before the pull that failed: drivers may end an open result then. The message
     * contains it.
     *
     * @param query the query of the call, of which the message contains the beginning
     */
    public Builder after(String call, @Nullable String query) {
      this.after = query == null ? call : call + " (" + beginning(query) + ")";
      return this;
    }

    /** Sets the additional details. */
    public Builder details(List<AdbcErrorDetail> all) {
      this.details = List.copyOf(all);
      return this;
    }

    /** Creates the exception. */
    public AdbcException build() {
      return new AdbcException(this, errno == 0 ? AdbcStatus.of(statusCode).errno() : errno);
    }

    private String describe() {
      AdbcStatus status = AdbcStatus.of(statusCode);
      var text = new StringBuilder(operation);
      if (driver != null) text.append(" of ").append(driver);
      text.append(" failed: ").append(status).append(" (").append(statusCode).append(')');
      if (errno != 0 && driverMessage.isEmpty()) text.append(", ").append(Errno.name(errno));
      if (!sqlState.isEmpty()) text.append(", SQLSTATE ").append(sqlState);
      if (vendorCode != null) text.append(", vendor code ").append(vendorCode);
      text.append(": ")
          .append(driverMessage.isEmpty() ? "the driver returned no message" : driverMessage.stripTrailing());
      if (after != null)
        text.append("; before, the connection called ").append(after).append(", which may have ended this result");
      if (sql != null) text.append("; the SQL: ").append(beginning(sql));
      return text.toString();
    }

    private static String beginning(String sql) {
      String line = sql.strip().replaceAll("\\s+", " ");
      if (line.length() <= MOST_SQL) return line;
      return line.substring(0, Character.isHighSurrogate(line.charAt(MOST_SQL - 1)) ? MOST_SQL - 1 : MOST_SQL) + "…";
    }
  }
}
