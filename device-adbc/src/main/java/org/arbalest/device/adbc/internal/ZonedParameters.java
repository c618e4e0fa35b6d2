// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A query of PostgreSQL whose parameters with a time zone are bound as times of UTC without one: each {@code $1} becomes
 * {@code ($1 AT TIME ZONE 'UTC')}. So its driver begins no transaction (see {@link DriverTransaction}), and saves five
 * round trips to the server.
 *
 * <p>Literals, quoted names and comments are skipped, by the rules of PostgreSQL's lexer. A query that these rules do
 * not cover stays as it is: with a backslash in a literal, which is an escape on some servers, or without an end of a
 * literal or comment.
 */
final class ZonedParameters {
  private final String sql;
  private final boolean[] isZoned;
  private final StringBuilder out = new StringBuilder();
  private int at;

  private ZonedParameters(String sql, boolean[] isZoned) {
    this.sql = sql;
    this.isZoned = isZoned;
  }

  /** Returns the changed query; null if it must stay. */
  static @Nullable String in(String sql, Schema parameters) {
    List<Field> fields = parameters.fields();
    boolean[] isZoned = new boolean[fields.size()];
    for (int i = 0; i < isZoned.length; i++)
      isZoned[i] = fields.get(i).type() instanceof TimestampType time && time.timezone() != null;
    return new ZonedParameters(sql, isZoned).changed();
  }

  /** Returns the types of the parameters of the changed query. */
  static Schema withoutZones(Schema parameters) {
    List<Field> fields = new ArrayList<>(parameters.fields());
    fields.replaceAll(field -> field.type() instanceof TimestampType time
        ? field.withType(new TimestampType(time.unit(), null)) : field);
    return Schema.of(fields);
  }

  private @Nullable String changed() {
    while (at < sql.length()) {
      int from = at;
      char c = sql.charAt(at);
      if (c == '$' && isDigit(at + 1)) {
        parameter();
        continue;
      }
      boolean isWhole = switch (c) {
        case '\'' -> skipLiteral();
        case '"' -> skipTo("\"", at + 1);
        case '$' -> skipDollars();
        case '-' -> !sql.startsWith("--", at) ? skip(1) : skipLine();
        case '/' -> !sql.startsWith("/*", at) ? skip(1) : skipComment();
        default -> isNamePart(c) ? skipName() : skip(1);
      };
      if (!isWhole) return null;
      out.append(sql, from, at);
    }
    return out.toString();
  }

  private void parameter() {
    int end = at + 1;
    while (isDigit(end)) end++;
    String text = sql.substring(at, end);
    int number = text.length() > 6 ? 0 : Integer.parseInt(text, 1, text.length(), 10);
    boolean isChanged = number > 0 && number <= isZoned.length && isZoned[number - 1];
    out.append(isChanged ? "(" + text + " AT TIME ZONE 'UTC')" : text);
    at = end;
  }

  private boolean isDigit(int index) {
    return index < sql.length() && sql.charAt(index) >= '0' && sql.charAt(index) <= '9';
  }

  /** Names may contain digits and {@code $}, but not begin with them. */
  private static boolean isNamePart(char c) {
    return c == '_' || c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  private boolean skip(int count) {
    at += count;
    return true;
  }

  private boolean skipName() {
    while (at < sql.length() && (isNamePart(sql.charAt(at)) || isDigit(at) || sql.charAt(at) == '$')) at++;
    return true;
  }

  /** Skips a literal; a doubled quote counts as two literals. Returns false with a backslash, or without an end. */
  private boolean skipLiteral() {
    int from = at;
    return skipTo("'", at + 1) && sql.substring(from, at).indexOf('\\') < 0;
  }

  private boolean skipLine() {
    int end = sql.indexOf('\n', at);
    at = end < 0 ? sql.length() : end;
    return true;
  }

  /** Skips a comment, which may contain others. */
  private boolean skipComment() {
    int depth = 0;
    do {
      int end = sql.indexOf("*/", at + 2);
      if (end < 0) return false;
      int inner = sql.indexOf("/*", at + 2);
      boolean isInner = inner >= 0 && inner < end;
      depth += isInner ? 1 : -1;
      at = isInner ? inner : end;
    } while (depth >= 0);
    return skip(2);
  }

  /** Skips a text between {@code $$} or {@code $tag$}. */
  private boolean skipDollars() {
    int end = at + 1;
    while (end < sql.length() && (isNamePart(sql.charAt(end)) || isDigit(end))) end++;
    if (end == sql.length() || sql.charAt(end) != '$') return skip(1);
    return skipTo(sql.substring(at, end + 1), end + 1);
  }

  /** Moves behind the next occurrence of a text; returns false if there is none. */
  private boolean skipTo(String text, int from) {
    int end = sql.indexOf(text, from);
    at = end + text.length();
    return end >= 0;
  }
}
