// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

import java.util.Set;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcInfo;
import org.arbalest.device.types.ArrowTimeUnit;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.FlatType;
import org.jspecify.annotations.Nullable;

/**
 * A database with its driver, by the types whose values it treats exactly as Spark.
 *
 * <p>SQLite is an {@link #OTHER} database: its driver finds the types of a result in the result's first rows. A
 * condition or a limit leaves fewer rows, so the types would change.
 */
public enum Dialect {
  /** DuckDB. */
  DUCKDB,
  /** PostgreSQL. */
  POSTGRESQL,
  /** Any other database. It may treat a quoted name as a string, or lack a type of literal. */
  OTHER;

  /** The codes of the names of vendor and driver in {@code adbc.h}. */
  private static final int[] NAMES = {0, 100};

  private static final Set<String> DUCKDB_OTHERS = Set.of("FLOAT", "DOUBLE", "BLOB", "TIME", "UUID", "JSON");
  private static final Set<String> POSTGRESQL_OTHERS = Set.of("real", "double precision", "numeric", "money", "bytea",
      "uuid", "character", "json", "jsonb", "time without time zone", "oid");

  /** Returns the dialect of a connection; {@link #OTHER} if the driver does not report its names. */
  public static Dialect of(AdbcConnection connection) {
    try {
      AdbcInfo info = connection.info(NAMES);
      return of(info.vendorName(), info.driverName());
    } catch (AdbcException _) { // drivers have own statuses for a function or a code that they lack
      return OTHER;
    }
  }

  /** Returns the dialect for the names that a driver reports; {@link #OTHER} without these. */
  static Dialect of(@Nullable String vendor, @Nullable String driver) {
    if ("duckdb".equalsIgnoreCase(vendor) && "ADBC DuckDB Driver".equals(driver)) return DUCKDB;
    if ("PostgreSQL".equals(vendor) && "ADBC PostgreSQL Driver".equals(driver)) return POSTGRESQL;
    return OTHER;
  }

  /**
   * Returns the kind of a column; null if the driver converts its values in an unknown way.
   *
   * @param name the database's name of the type
   * @param type the type that the driver returns
   */
  @Nullable
  Kind kind(String name, DataType type) {
    if (!(type instanceof FlatType flat)) return null;
    return switch (this) {
      case DUCKDB -> {
        if (DUCKDB_OTHERS.contains(name)) yield Kind.OTHER;
        if (name.equals("HUGEINT")) yield type.equals(DataType.decimal128(38, 0)) ? Kind.INTEGER : null;
        yield name.equals(duckDb(flat)) ? kind(flat) : null;
      }
      case POSTGRESQL -> {
        if (POSTGRESQL_OTHERS.contains(name)) yield Kind.OTHER;
        if (name.equals("character varying")) yield kind(flat) == Kind.TEXT ? Kind.TEXT : null;
        yield name.equals(postgreSql(flat)) ? kind(flat) : null;
      }
      case OTHER -> null;
    };
  }

  /** Returns the kind of a type that the database has, too. */
  private static Kind kind(FlatType type) {
    return switch (type) {
      case FlatType.IntType _ -> Kind.INTEGER;
      case FlatType.DecimalType _ -> Kind.DECIMAL;
      case FlatType.BoolType _ -> Kind.BOOLEAN;
      case FlatType.DateType _ -> Kind.DATE;
      case FlatType.TimestampType _ -> Kind.TIMESTAMP;
      case FlatType.Utf8Type _, FlatType.LargeUtf8Type _, FlatType.Utf8ViewType _ -> Kind.TEXT;
      default -> Kind.OTHER;
    };
  }

  /** Returns DuckDB's name of a type; an empty text if it has none, or returns other types by this type. */
  private static String duckDb(FlatType type) {
    return switch (type) {
      case FlatType.IntType(int bits, boolean signed) -> (signed ? "" : "U") + switch (bits) {
        case 8 -> "TINYINT";
        case 16 -> "SMALLINT";
        case 32 -> "INTEGER";
        default -> "BIGINT";
      };
      case FlatType.DecimalType(int _, int precision, int scale) -> "DECIMAL(" + precision + "," + scale + ")";
      case FlatType.BoolType _ -> "BOOLEAN";
      case FlatType.DateType(FlatType.DateUnit unit) -> unit == FlatType.DateUnit.DAY ? "DATE" : "";
      case FlatType.TimestampType(ArrowTimeUnit unit, String zone) -> unit != ArrowTimeUnit.MICROSECOND ? ""
          : zone == null ? "TIMESTAMP" : "TIMESTAMP WITH TIME ZONE";
      case FlatType.Utf8Type _, FlatType.LargeUtf8Type _, FlatType.Utf8ViewType _ -> "VARCHAR";
      default -> "";
    };
  }

  /**
   * Returns PostgreSQL's name of a type; an empty text if it has none. The driver returns {@code money}, {@code oid}
   * and {@code numeric} by types whose values compare in another way.
   */
  private static String postgreSql(FlatType type) {
    return switch (type) {
      case FlatType.IntType(int bits, boolean signed) -> !signed ? "" : switch (bits) {
        case 16 -> "smallint";
        case 32 -> "integer";
        case 64 -> "bigint";
        default -> "";
      };
      case FlatType.BoolType _ -> "boolean";
      case FlatType.DateType(FlatType.DateUnit unit) -> unit == FlatType.DateUnit.DAY ? "date" : "";
      case FlatType.TimestampType(ArrowTimeUnit unit, String zone) -> unit != ArrowTimeUnit.MICROSECOND ? ""
          : "timestamp " + (zone == null ? "without" : "with") + " time zone";
      case FlatType.Utf8Type _, FlatType.LargeUtf8Type _, FlatType.Utf8ViewType _ -> "text";
      default -> "";
    };
  }

  /**
   * Returns whether the values of a kind reach Spark as the database distinguishes them. PostgreSQL has
   * {@code infinity} as a date and timestamp, which has no value in Arrow.
   */
  boolean isExact(Kind kind) {
    return switch (kind) {
      case INTEGER, DECIMAL, BOOLEAN, TEXT -> this != OTHER;
      case DATE, TIMESTAMP -> this == DUCKDB;
      case OTHER -> false;
    };
  }

  /** Returns whether minima, maxima and sorted rows reach Spark with the values by which the database sorted. */
  boolean ranks(Kind kind) {
    return isExact(kind) && kind != Kind.BOOLEAN && kind != Kind.TEXT;
  }

  /** Returns the SQL of text whose bytes, not whose collation, decide. */
  static String bytes(String text) {
    return text + " COLLATE \"C\"";
  }

  /**
   * Returns the SQL of a search in text by its bytes. The functions know no patterns. PostgreSQL uses an index for the
   * first one.
   *
   * @param name Spark's name of the search
   * @param part a literal
   */
  String search(String name, String text, String part) {
    String bytes = bytes(text);
    boolean isDuckDb = this == DUCKDB;
    return switch (name) {
      case "STARTS_WITH" -> (isDuckDb ? "prefix(" : "starts_with(") + bytes + ", " + part + ")";
      case "ENDS_WITH" -> isDuckDb ? "suffix(" + bytes + ", " + part + ")"
          : "right(" + bytes + ", char_length(" + part + ")) = " + part;
      case "CONTAINS" -> isDuckDb ? "contains(" + bytes + ", " + part + ")"
          : "strpos(" + bytes + ", " + part + ") > 0";
      default -> throw new IllegalArgumentException("there is no search " + name);
    };
  }

  /**
   * Returns the SQL that lets other writers of a table wait until the transaction ends, of which it is the first
   * statement. A DELETE of PostgreSQL waits for them, but deletes only the rows that were there when it began. The lock
   * of a view is also one of the tables that the view contains, those of its views too. Null if there is no such lock:
   * DuckDB rejects the later of two, and a foreign table is not locked.
   *
   * @param table the table or view in SQL
   */
  public @Nullable String lock(AdbcConnection connection, String table) {
    if (this != POSTGRESQL) return null;
    try (RecordBatchReader rows = connection.query(
        "SELECT 1 FROM pg_catalog.pg_class WHERE oid = pg_catalog.to_regclass($1) AND relkind IN ('r', 'p', 'v')",
        table)) {
      RecordBatch batch = rows.next();
      if (batch == null) return null;
      batch.close();
    }
    return "LOCK TABLE " + table + " IN EXCLUSIVE MODE";
  }

  /** Returns the SQL of a quarter of a number, without the remainder. */
  String quarter(String number) {
    return this == DUCKDB ? number + " // 4" : "div(" + number + ", 4)";
  }
}
