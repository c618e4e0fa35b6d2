// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A constraint of a table.
 *
 * @param name the name
 * @param type CHECK, FOREIGN KEY, PRIMARY KEY or UNIQUE
 * @param columns the columns of the constraint, in its order
 * @param references for a foreign key, the referenced columns, one for each of its columns; otherwise empty
 */
public record AdbcConstraint(@Nullable String name, String type, List<String> columns, List<Reference> references) {
  /** Creates a constraint. */
  public AdbcConstraint {
    columns = List.copyOf(columns);
    references = List.copyOf(references);
  }

  /**
   * A column to which a foreign key refers.
   *
   * @param catalog the column's catalog
   * @param dbSchema the column's schema
   * @param table the column's table
   * @param column the column's name
   */
  public record Reference(@Nullable String catalog, @Nullable String dbSchema, String table, String column) {}
}
