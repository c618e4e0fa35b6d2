// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A catalog of a database.
 *
 * @param name null or empty for objects without a catalog
 * @param dbSchemas its schemas; also empty if they were not requested
 */
public record AdbcCatalog(@Nullable String name, List<AdbcDbSchema> dbSchemas) {
  /** Creates a catalog. */
  public AdbcCatalog {
    dbSchemas = List.copyOf(dbSchemas);
  }
}
