// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The choice of the way in which PostgreSQL's driver executes a query without parameters. By default the driver
 * executes {@code COPY (query) TO STDOUT}, which streams the rows. The server rejects this for other statements than
 * queries, and the driver's closing parenthesis is lost behind a comment. Such a query is executed without COPY; the
 * driver then holds the whole result. The choice precedes the execution, because a rejected COPY aborts the
 * transaction of the caller.
 *
 * <p>A statement that changes rows and returns some is also executed without COPY: it is then complete, and its rows
 * are counted, even if its result is closed before the end. A query with {@code WITH} and a backslash before a quote
 * counts as one: it may hide a change.
 */
final class PostgreSqlCopy {
  /** The words that begin a query. */
  private static final Set<String> QUERIES = Set.of("SELECT", "WITH", "VALUES", "TABLE");

  /** The words in a query after {@code WITH} that may change rows; {@code FOR UPDATE} does not. */
  private static final Set<String> CHANGES = Set.of("INSERT", "UPDATE", "DELETE", "MERGE");

  private final NativeHandle statement;

  // Guarded by the connection lock.

  /** Whether this object has turned COPY off. */
  private boolean isOff;

  /** Whether the application has turned COPY off. */
  private boolean isOffByApplication;

  PostgreSqlCopy(NativeHandle statement) {
    this.statement = statement;
  }

  /**
   * Sets the statement's option for its next execution, unless the driver has no such option, or the application has
   * turned COPY off. Requires the connection lock.
   *
   * @param sql the query; null without one
   * @param isBound whether the execution has parameters, which COPY cannot have
   */
  void choose(@Nullable String sql, boolean isBound) {
    if (sql == null || isBound) return;
    boolean canCopy = canCopy(sql);
    if (canCopy && isOff) {
      OptionFunctions.STATEMENT.set(statement, KnownDriver.USE_COPY, "true");
      isOff = false;
    } else if (!canCopy && isOn() && KnownDriver.of(statement) == KnownDriver.POSTGRESQL) {
      OptionFunctions.STATEMENT.set(statement, KnownDriver.USE_COPY, "false");
      isOff = true;
    }
  }

  /** Records that the application has turned the option on or off. Requires the connection lock. */
  void isSet(boolean isOn) {
    isOff = false;
    isOffByApplication = !isOn;
  }

  /** Returns whether the next execution is by COPY, if the driver is PostgreSQL's. Requires the connection lock. */
  boolean isOn() {
    return !isOff && !isOffByApplication;
  }

  /** Returns whether the server and the driver accept a query within COPY, and it changes nothing. */
  static boolean canCopy(String sql) {
    var tokens = new SqlTokens(withoutEnd(sql));
    String first = tokens.next();
    while ("(".equals(first)) first = tokens.next();
    if (first == null || !QUERIES.contains(first)) return false;
    boolean mayChange = first.equals("WITH");
    for (String token = tokens.next(); token != null; token = tokens.next()) {
      boolean isRejected = token.equals(";") || token.equals("--") || token.equals("INTO");
      if (isRejected || (mayChange && CHANGES.contains(token))) return false;
    }
    return !mayChange || !tokens.isUncertain();
  }

  /** Returns the query without the semicolons at its end, which the driver removes. */
  private static String withoutEnd(String sql) {
    int end = sql.length();
    while (end > 0 && sql.charAt(end - 1) == ';') end--;
    return sql.substring(0, end);
  }
}
