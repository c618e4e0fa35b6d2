// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.List;

/**
 * A table of a database, or an object that the database treats as a table, such as a view.
 *
 * @param name the name
 * @param type one of {@link AdbcConnection#tableTypes}
 * @param columns its columns; also empty if they were not requested
 * @param constraints its constraints; also empty if they were not requested
 */
public record AdbcTable(String name, String type, List<AdbcColumn> columns, List<AdbcConstraint> constraints) {
  /** Creates a table. */
  public AdbcTable {
    columns = List.copyOf(columns);
    constraints = List.copyOf(constraints);
  }
}
