// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A schema of a database: a name for some of its tables.
 *
 * @param name null, or empty, for what is in none
 * @param tables its tables; empty, too, if they were not asked for
 */
public record AdbcDbSchema(@Nullable String name, List<AdbcTable> tables) {
  /** A schema. */
  public AdbcDbSchema {
    tables = List.copyOf(tables);
  }
}
