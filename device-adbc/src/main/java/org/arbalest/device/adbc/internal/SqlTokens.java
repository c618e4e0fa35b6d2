// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The words and characters of an SQL text in the syntax of PostgreSQL, without spaces, comments and texts in quotes.
 * Backslashes escape only in {@code E'…'}, as by default in PostgreSQL.
 */
final class SqlTokens {
  private static final String LINE_COMMENT = "--";

  private final String sql;

  /** The index of the first character that was not read. */
  private int at;

  /** Whether a text in single quotes had a quote after a backslash: the session decides whether it ends there. */
  private boolean isUncertain;

  SqlTokens(String sql) {
    this.sql = sql;
  }

  /** Returns whether the words so far depend on the session, which may let a backslash escape in any text. */
  boolean isUncertain() {
    return isUncertain;
  }

  /**
   * Returns the next token: a word in capital letters, another character, the first character of a text in quotes, or
   * {@code --} for a line comment that ends with the whole text; null at the end.
   */
  @Nullable
  String next() {
    while (at < sql.length()) {
      int start = at;
      if (sql.startsWith(LINE_COMMENT, start)) {
        skipLine();
        if (at == sql.length()) return LINE_COMMENT;
      } else if (sql.startsWith("/*", start)) {
        skipComment();
      } else if (Character.isWhitespace(sql.charAt(start))) {
        at++;
      } else {
        return token();
      }
    }
    return null;
  }

  private void skipLine() {
    while (at < sql.length() && sql.charAt(at) != '\n' && sql.charAt(at) != '\r') at++;
  }

  /** Skips a comment, which may contain others. */
  private void skipComment() {
    int depth = 0;
    do {
      if (sql.startsWith("/*", at)) {
        depth++;
        at += 2;
      } else if (sql.startsWith("*/", at)) {
        depth--;
        at += 2;
      } else {
        at++;
      }
    } while (depth > 0 && at < sql.length());
  }

  private String token() {
    int start = at;
    char first = sql.charAt(start);
    at++;
    if (isWordStart(first)) {
      while (at < sql.length() && isWordPart(sql.charAt(at))) at++;
      boolean isEscaped = at == start + 1 && (first == 'E' || first == 'e') && sql.startsWith("'", at);
      if (!isEscaped) return sql.substring(start, at).toUpperCase(Locale.ROOT);
      at++;
      skipQuoted('\'', true);
      return "'";
    }
    if (first == '\'' || first == '"') skipQuoted(first, false);
    if (first == '$') skipDollarQuoted(start);
    return String.valueOf(first);
  }

  /** Skips the rest of a text in quotes, in which the quote is doubled. */
  private void skipQuoted(char quote, boolean isEscaped) {
    while (at < sql.length()) {
      char next = sql.charAt(at++);
      isUncertain |= next == '\\' && quote == '\'' && sql.startsWith("'", at);
      if (next == '\\' && isEscaped) at++;
      if (next != quote) continue;
      if (at >= sql.length() || sql.charAt(at) != quote) return;
      at++;
    }
    at = sql.length(); // a backslash may be last
  }

  /** Skips the rest of a text between dollar signs with the same tag, unless the dollar sign begins no such text. */
  private void skipDollarQuoted(int start) {
    int tagEnd = at;
    while (tagEnd < sql.length() && sql.charAt(tagEnd) != '$' && isWordPart(sql.charAt(tagEnd))) tagEnd++;
    boolean isTag = tagEnd == at || isWordStart(sql.charAt(at));
    if (!isTag || !sql.startsWith("$", tagEnd)) return;
    String tag = sql.substring(start, tagEnd + 1);
    int end = sql.indexOf(tag, tagEnd + 1);
    at = end < 0 ? sql.length() : end + tag.length();
  }

  private static boolean isWordStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
  }

  private static boolean isWordPart(char c) {
    return isWordStart(c) || (c >= '0' && c <= '9') || c == '$';
  }
}
