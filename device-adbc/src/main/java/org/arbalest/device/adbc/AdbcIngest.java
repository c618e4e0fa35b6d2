// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A target table for batches, and the action if the table exists or does not exist: {@code
 * AdbcIngest.into("flights").with(Mode.APPEND).inSchema("raw")}. Immutable. Use {@link #into} to create one: the
 * constructor gets another parameter when ADBC gets another option.
 *
 * @param table the table's name
 * @param mode the action if the table exists or does not exist
 * @param catalog the table's catalog; null for the current one
 * @param dbSchema the table's schema; null for the current one. See {@link AdbcStatement#setIngest} for several targets
 *     of one statement
 * @param isTemporary whether it is a temporary table, which belongs to the connection and has no catalog and no schema
 */
public record AdbcIngest(String table, Mode mode, @Nullable String catalog, @Nullable String dbSchema,
    boolean isTemporary) {
  /** The action if the table exists or does not exist. */
  public enum Mode {
    /** Creates the table; an error if it exists. */
    CREATE("adbc.ingest.mode.create"),
    /** Appends to the table; an error if it does not exist. */
    APPEND("adbc.ingest.mode.append"),
    /** Drops the table if it exists, then creates it. Requires ADBC 1.1.0. */
    REPLACE("adbc.ingest.mode.replace"),
    /** Appends to the table; creates it if it does not exist. Requires ADBC 1.1.0. */
    CREATE_APPEND("adbc.ingest.mode.create_append");

    private final String value;

    Mode(String value) {
      this.value = value;
    }

    /** Returns the value in {@code adbc.h}. */
    public String value() {
      return value;
    }
  }

  /** Creates a target. */
  public AdbcIngest {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(mode, "mode");
    if (isTemporary && (catalog != null || dbSchema != null)) {
      throw new IllegalArgumentException(
          "a temporary table has no catalog and no schema, but " + table + " was to be created in " + catalog + "."
              + dbSchema);
    }
  }

  /** Returns a target that creates the table, which must not exist. */
  public static AdbcIngest into(String table) {
    return new AdbcIngest(table, Mode.CREATE, null, null, false);
  }

  /** Returns this target with another mode. */
  public AdbcIngest with(Mode newMode) {
    return new AdbcIngest(table, newMode, catalog, dbSchema, isTemporary);
  }

  /** Returns this target in a catalog. */
  public AdbcIngest inCatalog(String name) {
    return new AdbcIngest(table, mode, Objects.requireNonNull(name, "name"), dbSchema, isTemporary);
  }

  /** Returns this target in a schema. */
  public AdbcIngest inSchema(String name) {
    return new AdbcIngest(table, mode, catalog, Objects.requireNonNull(name, "name"), isTemporary);
  }

  /** Returns this target as a temporary table. */
  public AdbcIngest temporary() {
    return new AdbcIngest(table, mode, catalog, dbSchema, true);
  }
}
