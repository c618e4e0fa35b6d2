// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.util.StringJoiner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An {@code INSERT … VALUES} of PostgreSQL whose only row has parameters and {@code NULL}. With more such rows it
 * stores the same, unless rules, triggers or defaults look at the table. PostgreSQL's driver waits for its server after
 * each bound row, which thus stores many.
 */
final class MultiRowInsert {
  /** PostgreSQL has at most 65,535; more than these save no more time. */
  private static final int MOST_PARAMETERS = 200;

  /** The longest text that is matched. A pattern needs stack for each repetition. */
  private static final int MOST_CHARACTERS = 4000;

  private static final String NAME = "(?:[\\p{L}_][\\p{L}\\d_$]*|\"[^\"]+\")";
  private static final String NAMES = "\\(\\s*" + NAME + "(?:\\s*,\\s*" + NAME + ")*\\s*\\)";
  private static final String VALUE =
      "(?:\\$\\d+(?:\\s*::\\s*[\\p{L}_][\\p{L}\\d_]*(?:\\(\\d+(?:,\\s*\\d+)?\\))?)?|NULL)";

  private static final Pattern INSERT = Pattern.compile(
      "(\\s*INSERT\\s+INTO\\s+" + NAME + "(?:\\." + NAME + ")*\\s*(?:" + NAMES + ")?\\s*VALUES\\s*)"
          + "(\\(\\s*" + VALUE + "(?:\\s*,\\s*" + VALUE + ")*\\s*\\))"
          + "(\\s*(?:ON\\s+CONFLICT\\s*(?:" + NAMES + ")?\\s*DO\\s+NOTHING\\s*)?);?\\s*",
      Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE);

  private static final Pattern PARAMETER = Pattern.compile("\\$(\\d{1,5})");

  private final String head;
  private final String row;
  private final String tail;
  private final int parameters;

  private MultiRowInsert(Matcher parts, int parameters) {
    this.head = parts.group(1);
    this.row = parts.group(2);
    this.tail = parts.group(3);
    this.parameters = parameters;
  }

  /**
   * Returns the statement of a text.
   *
   * @param parameters the number of parameters in a row
   * @return null if the text is another statement, or rows of it have too many parameters
   */
  static @Nullable MultiRowInsert of(String sql, int parameters) {
    if (sql.length() > MOST_CHARACTERS || parameters == 0 || parameters > MOST_PARAMETERS / 2) return null;
    Matcher parts = INSERT.matcher(sql);
    return parts.matches() ? new MultiRowInsert(parts, parameters) : null;
  }

  /** Returns the most rows in one statement: at least two. */
  int mostRows() {
    return MOST_PARAMETERS / parameters;
  }

  /** Returns the statement with several rows. Those of each row follow those of the row before. */
  String sql(int rows) {
    StringJoiner all = new StringJoiner(", ", head, tail);
    for (int i = 0; i < rows; i++) {
      int before = i * parameters;
      all.add(PARAMETER.matcher(row)
          .replaceAll(one -> "\\$" + (Integer.parseInt(one.group(1)) + before)));
    }
    return all.toString();
  }
}
