// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The name of a table, with the names of its schema and its catalog if it has them. */
public record TableName(@Nullable String catalog, @Nullable String dbSchema, String name) implements Serializable {
  /**
   * Returns the name that a text after FROM denotes; null if the text is anything else, such as a function's call or a
   * table with an alias.
   *
   * @param quote the quotation mark of names
   */
  public static @Nullable TableName parse(String text, String quote) {
    String mark = Pattern.quote(quote);
    Pattern part = Pattern.compile("\\s*(?:" + mark + "((?:(?!" + mark + ").|" + mark + mark + ")+)" + mark
        + "|([\\p{L}_][\\p{L}\\p{N}_$]*))\\s*(\\.|$)", Pattern.DOTALL);
    var names = new ArrayList<String>();
    Matcher matcher = part.matcher(text);
    int at = 0;
    while (matcher.find(at) && matcher.start() == at) {
      String quoted = matcher.group(1);
      names.add(quoted == null ? matcher.group(2) : quoted.replace(quote + quote, quote));
      at = matcher.end();
      if (matcher.group(3).isEmpty()) return of(names);
    }
    return null;
  }

  /** Returns the names from the catalog's, if the table has one, to the table's. */
  public List<String> parts() {
    var parts = new ArrayList<String>();
    if (catalog != null) parts.add(catalog);
    if (dbSchema != null) parts.add(dbSchema);
    parts.add(name);
    return parts;
  }

  private static @Nullable TableName of(ArrayList<String> names) {
    int count = names.size();
    if (count > 3) return null;
    return new TableName(count > 2 ? names.get(count - 3) : null, count > 1 ? names.get(count - 2) : null,
        names.getLast());
  }
}
