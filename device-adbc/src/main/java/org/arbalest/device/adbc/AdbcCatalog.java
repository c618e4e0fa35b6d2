// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A catalog of a database.
 *
 * @param name null, or empty, for what is in none
 * @param dbSchemas its schemas; empty, too, if they were not asked for
 */
public record AdbcCatalog(@Nullable String name, List<AdbcDbSchema> dbSchemas) {
  /** A catalog. */
  public AdbcCatalog {
    dbSchemas = List.copyOf(dbSchemas);
  }
}
