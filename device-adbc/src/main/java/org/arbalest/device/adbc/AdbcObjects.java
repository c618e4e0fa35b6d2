// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A selection of the catalogs, schemas, tables and columns that {@link AdbcConnection#objects} returns, and the depth:
 * {@code AdbcObjects.to(Depth.TABLES).inSchema("main").named("flight%")}. Immutable. Use {@link #all} and {@link #to}
 * to create one: the constructor's parameters may change.
 *
 * <p>Names are patterns: {@code %} is any text, {@code _} any character. An empty catalog or schema selects objects
 * without one.
 *
 * @param depth the depth
 * @param catalog a pattern for the catalogs; null for all
 * @param dbSchema a pattern for the schemas; null for all
 * @param table a pattern for the tables; null for all
 * @param tableTypes the types of tables, as listed by {@link AdbcConnection#tableTypes}; null for all
 * @param column a pattern for the columns; null for all
 */
public record AdbcObjects(
    Depth depth, @Nullable String catalog, @Nullable String dbSchema, @Nullable String table,
    @Nullable List<String> tableTypes, @Nullable String column) {
  /** The depth; deeper levels are empty. */
  public enum Depth {
    /** Catalogs. */
    CATALOGS(1),
    /** Catalogs and their schemas. */
    SCHEMAS(2),
    /** Catalogs, schemas and their tables. */
    TABLES(3),
    /** Catalogs, schemas, tables, and their columns and constraints. */
    COLUMNS(0);

    private final int code;

    Depth(int code) {
      this.code = code;
    }

    /** Returns the number in {@code adbc.h}. */
    public int code() {
      return code;
    }
  }

  /** Creates a selection. */
  public AdbcObjects {
    Objects.requireNonNull(depth, "depth");
    tableTypes = tableTypes == null ? null : List.copyOf(tableTypes);
  }

  /** Returns a selection of all objects, down to columns. */
  public static AdbcObjects all() {
    return to(Depth.COLUMNS);
  }

  /** Returns a selection of all objects, down to this depth. */
  public static AdbcObjects to(Depth depth) {
    return new AdbcObjects(depth, null, null, null, null, null);
  }

  /** Returns this selection in catalogs that match a pattern. */
  public AdbcObjects inCatalog(String pattern) {
    return new AdbcObjects(depth, Objects.requireNonNull(pattern, "pattern"), dbSchema, table, tableTypes, column);
  }

  /** Returns this selection in schemas that match a pattern. */
  public AdbcObjects inSchema(String pattern) {
    return new AdbcObjects(depth, catalog, Objects.requireNonNull(pattern, "pattern"), table, tableTypes, column);
  }

  /** Returns this selection for tables whose names match a pattern. */
  public AdbcObjects named(String pattern) {
    return new AdbcObjects(depth, catalog, dbSchema, Objects.requireNonNull(pattern, "pattern"), tableTypes, column);
  }

  /** Returns this selection for tables of these types. */
  public AdbcObjects ofTypes(String... types) {
    return new AdbcObjects(depth, catalog, dbSchema, table, List.of(types), column);
  }

  /** Returns this selection for columns whose names match a pattern. */
  public AdbcObjects withColumn(String pattern) {
    return new AdbcObjects(depth, catalog, dbSchema, table, tableTypes, Objects.requireNonNull(pattern, "pattern"));
  }
}
