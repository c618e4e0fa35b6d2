// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.arbalest.device.adbc.AdbcException;
import org.jspecify.annotations.Nullable;

/**
 * The choice of the way in which PostgreSQL's driver executes a query without parameters. By default the driver
 * executes {@code COPY (query) TO STDOUT}, which streams the rows. The server rejects this for other statements than
 * queries, and the driver's closing parenthesis is lost behind a comment. Such a query is executed without COPY; the
 * driver then holds the whole result. The choice precedes the execution, because a rejected COPY aborts the
 * transaction of the caller.
 *
 * <p>A statement that changes rows and returns some is also executed without COPY: it is then complete, and its rows
 * are counted, even if its result is closed before the end.
 */
final class PostgreSqlCopy {
  /** The words that begin a query. */
  private static final Set<String> QUERIES = Set.of("SELECT", "WITH", "VALUES", "TABLE");

  private static final Pattern FIRST_WORD =
      Pattern.compile("(?:[\\s(]++|--[^\\n]*+|/\\*(?s:.*?)\\*/)*+([A-Za-z]++)");

  /** A comment to the end of the line, or a semicolon before comments or spaces; the driver removes only the last. */
  private static final Pattern BAD_END =
      Pattern.compile("(?:--[^\\n]*+|;(?:\\s++|--[^\\n]*+|/\\*(?s:.*?)\\*/)++;*+)\\z");

  private final NativeHandle statement;

  /** Whether this object has turned COPY off. Guarded by the connection lock. */
  private boolean isOff;

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
    } else if (!canCopy && !isOff && !statement.driver.lacksCopy && isOn()) {
      OptionFunctions.STATEMENT.set(statement, KnownDriver.USE_COPY, "false");
      isOff = true;
    }
  }

  private boolean isOn() {
    try {
      return OptionFunctions.STATEMENT.get(statement, KnownDriver.USE_COPY).equals("true");
    } catch (AdbcException _) { // another driver
      statement.driver.lacksCopy = true;
      return false;
    }
  }

  /** Returns whether the server and the driver accept a query within COPY. */
  static boolean canCopy(String sql) {
    Matcher first = FIRST_WORD.matcher(sql);
    return first.lookingAt() && QUERIES.contains(first.group(1).toUpperCase(Locale.ROOT))
        && !BAD_END.matcher(sql).find();
  }
}
