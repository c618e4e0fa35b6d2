// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import org.arbalest.device.adbc.AdbcIngest;
import org.jspecify.annotations.Nullable;

/** The target of a statement's ingestions, with the parts of an earlier target that drivers keep. */
final class IngestTarget {
  private boolean isTemporary;
  private @Nullable String catalog;
  private @Nullable String dbSchema;

  /** Throws unless all names of a target can be C strings. */
  static void checkNames(AdbcIngest target) {
    CText.check("table", target.table());
    if (target.catalog() != null) CText.check("catalog", target.catalog());
    if (target.dbSchema() != null) CText.check("dbSchema", target.dbSchema());
  }

  /** Throws if an earlier catalog or schema would stay: ADBC cannot reset it. */
  void checkThatNothingStays(AdbcIngest target) {
    checkThatNothingStays("catalog", catalog, target.catalog());
    checkThatNothingStays("schema", dbSchema, target.dbSchema());
  }

  private static void checkThatNothingStays(String what, @Nullable String before, @Nullable String now) {
    if (before == null || now != null) return;
    throw new IllegalStateException(
        "the statement ingested into the " + what + " " + before
            + " before, which its driver keeps, but now no name is set; use a separate statement for each "
            + "target");
  }

  /**
   * Sets the options of a statement. Requires the connection lock.
   *
   * @param isSet runs as soon as the driver has the table
   */
  void set(NativeHandle statement, AdbcIngest target, Runnable isSet) {
    OptionFunctions options = OptionFunctions.STATEMENT;
    if (isTemporary && !target.isTemporary()) {
      options.set(statement, "adbc.ingest.temporary", "false"); // first: it excludes the others
      isTemporary = false;
    }
    options.set(statement, "adbc.ingest.target_table", target.table());
    isSet.run();
    options.set(statement, "adbc.ingest.mode", target.mode().value());
    if (target.catalog() != null) {
      options.set(statement, "adbc.ingest.target_catalog", target.catalog());
      catalog = target.catalog();
    }
    if (target.dbSchema() != null) {
      options.set(statement, "adbc.ingest.target_db_schema", target.dbSchema());
      dbSchema = target.dbSchema();
    }
    if (target.isTemporary()) {
      options.set(statement, "adbc.ingest.temporary", "true");
      isTemporary = true;
    }
  }
}
