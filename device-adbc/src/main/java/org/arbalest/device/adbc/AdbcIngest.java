// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A table that batches go into, and what is done if it is there, or is not: {@code
 * AdbcIngest.into("flights").with(Mode.APPEND).inSchema("raw")}. Immutable. Made by {@link #into}: the constructor gets
 * another parameter where ADBC gets another option.
 *
 * @param table its name
 * @param mode what is done about the table
 * @param catalog its catalog; null for the current one
 * @param dbSchema its schema; null for the current one. See {@link AdbcStatement#setIngest} for several targets of one
 *     statement
 * @param isTemporary whether it is a temporary one, which belongs to the connection and has neither catalog nor schema
 */
public record AdbcIngest(String table, Mode mode, @Nullable String catalog, @Nullable String dbSchema,
    boolean isTemporary) {
  /** What is done about the table. */
  public enum Mode {
    /** It is made; an error if it is there. */
    CREATE("adbc.ingest.mode.create"),
    /** It is added to; an error if it is not there. */
    APPEND("adbc.ingest.mode.append"),
    /** It is dropped if it is there, then made. Of 1.1.0. */
    REPLACE("adbc.ingest.mode.replace"),
    /** It is added to; made if it is not there. Of 1.1.0. */
    CREATE_APPEND("adbc.ingest.mode.create_append");

    private final String value;

    Mode(String value) {
      this.value = value;
    }

    /** As {@code adbc.h} writes it. */
    public String value() {
      return value;
    }
  }

  /** A target. */
  public AdbcIngest {
    Objects.requireNonNull(table, "table");
    Objects.requireNonNull(mode, "mode");
    if (isTemporary && (catalog != null || dbSchema != null)) {
      throw new IllegalArgumentException(
          "a temporary table has no catalog and no schema, but " + table + " is to be in " + catalog + "." + dbSchema);
    }
  }

  /** A table that is made, and must not be there. */
  public static AdbcIngest into(String table) {
    return new AdbcIngest(table, Mode.CREATE, null, null, false);
  }

  /** The same in another mode. */
  public AdbcIngest with(Mode newMode) {
    return new AdbcIngest(table, newMode, catalog, dbSchema, isTemporary);
  }

  /** The same in a catalog. */
  public AdbcIngest inCatalog(String name) {
    return new AdbcIngest(table, mode, Objects.requireNonNull(name, "name"), dbSchema, isTemporary);
  }

  /** The same in a schema. */
  public AdbcIngest inSchema(String name) {
    return new AdbcIngest(table, mode, catalog, Objects.requireNonNull(name, "name"), isTemporary);
  }

  /** The same as a temporary table. */
  public AdbcIngest temporary() {
    return new AdbcIngest(table, mode, catalog, dbSchema, true);
  }
}
