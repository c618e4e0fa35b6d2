// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which catalogs, schemas, tables and columns {@link AdbcConnection#objects} is to tell of, and how deep: {@code
 * AdbcObjects.to(Depth.TABLES).inSchema("main").named("flight%")}. Immutable. Made by {@link
 * #all} and {@link #to}: the constructor may get other parameters.
 *
 * <p>Names are patterns: {@code %} is any text, {@code _} any character. An empty catalog or schema is for what has
 * none.
 *
 * @param depth how deep
 * @param catalog of which catalogs; null for all
 * @param dbSchema of which schemas; null for all
 * @param table of which tables; null for all
 * @param tableTypes of which types of tables, as {@link AdbcConnection#tableTypes} lists them; null for all
 * @param column of which columns; null for all
 */
public record AdbcObjects(
    Depth depth, @Nullable String catalog, @Nullable String dbSchema, @Nullable String table,
    @Nullable List<String> tableTypes, @Nullable String column) {
  /** How deep; what is below is empty. */
  public enum Depth {
    /** Catalogs. */
    CATALOGS(1),
    /** And their schemas. */
    SCHEMAS(2),
    /** And their tables. */
    TABLES(3),
    /** And their columns and constraints. */
    COLUMNS(0);

    private final int code;

    Depth(int code) {
      this.code = code;
    }

    /** The number in {@code adbc.h}. */
    public int code() {
      return code;
    }
  }

  /** Which ones. */
  public AdbcObjects {
    Objects.requireNonNull(depth, "depth");
    tableTypes = tableTypes == null ? null : List.copyOf(tableTypes);
  }

  /** All there are, down to columns. */
  public static AdbcObjects all() {
    return to(Depth.COLUMNS);
  }

  /** All there are, this deep. */
  public static AdbcObjects to(Depth depth) {
    return new AdbcObjects(depth, null, null, null, null, null);
  }

  /** Those in a catalog. */
  public AdbcObjects inCatalog(String pattern) {
    return new AdbcObjects(depth, Objects.requireNonNull(pattern, "pattern"), dbSchema, table, tableTypes, column);
  }

  /** Those in a schema. */
  public AdbcObjects inSchema(String pattern) {
    return new AdbcObjects(depth, catalog, Objects.requireNonNull(pattern, "pattern"), table, tableTypes, column);
  }

  /** Tables of this name. */
  public AdbcObjects named(String pattern) {
    return new AdbcObjects(depth, catalog, dbSchema, Objects.requireNonNull(pattern, "pattern"), tableTypes, column);
  }

  /** Tables of these types. */
  public AdbcObjects ofTypes(String... types) {
    return new AdbcObjects(depth, catalog, dbSchema, table, List.of(types), column);
  }

  /** Columns of this name. */
  public AdbcObjects withColumn(String pattern) {
    return new AdbcObjects(depth, catalog, dbSchema, table, tableTypes, Objects.requireNonNull(pattern, "pattern"));
  }
}
