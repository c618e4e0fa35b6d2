// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schema of a database: a named group of tables.
 *
 * @param name null or empty for tables without a schema
 * @param tables its tables; also empty if they were not requested
 */
public record AdbcDbSchema(@Nullable String name, List<AdbcTable> tables) {
  /** Creates a schema. */
  public AdbcDbSchema {
    tables = List.copyOf(tables);
  }
}
