// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.List;

/**
 * A table of a database, or what the database counts as one, such as a view.
 *
 * @param name its name
 * @param type one of {@link AdbcConnection#tableTypes}
 * @param columns its columns; empty, too, if they were not asked for
 * @param constraints its constraints; empty, too, if they were not asked for
 */
public record AdbcTable(String name, String type, List<AdbcColumn> columns, List<AdbcConstraint> constraints) {
  /** A table. */
  public AdbcTable {
    columns = List.copyOf(columns);
    constraints = List.copyOf(constraints);
  }
}
