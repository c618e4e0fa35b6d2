// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A constraint of a table.
 *
 * @param name its name
 * @param type CHECK, FOREIGN KEY, PRIMARY KEY or UNIQUE
 * @param columns the table's columns that it is of, in its order
 * @param references what a foreign key refers to, a column for each; empty for others
 */
public record AdbcConstraint(@Nullable String name, String type, List<String> columns, List<Reference> references) {
  /** A constraint. */
  public AdbcConstraint {
    columns = List.copyOf(columns);
    references = List.copyOf(references);
  }

  /**
   * A column that a foreign key refers to.
   *
   * @param catalog its catalog
   * @param dbSchema its schema
   * @param table its table
   * @param column its name
   */
  public record Reference(@Nullable String catalog, @Nullable String dbSchema, String table, String column) {}
}
