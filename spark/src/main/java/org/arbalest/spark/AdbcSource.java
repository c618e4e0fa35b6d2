// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark;

import static org.arbalest.spark.internal.adbc.AdbcOptions.database;
import static org.arbalest.spark.internal.adbc.AdbcOptions.quote;
import static org.arbalest.spark.internal.adbc.AdbcOptions.quoted;
import static org.arbalest.spark.internal.adbc.AdbcOptions.required;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType;
import org.arbalest.device.types.NestedType;
import org.arbalest.device.types.Schema;
import org.arbalest.device.adbc.Adbc;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatement;
import org.arbalest.device.adbc.AdbcStatus;
import org.arbalest.spark.internal.adbc.AdbcOptions;
import org.arbalest.spark.internal.adbc.AdbcParts;
import org.arbalest.spark.internal.adbc.TableName;
import org.arbalest.spark.internal.columns.ArrowTypes;
import org.jspecify.annotations.Nullable;

/**
 * A source that queries a database through an ADBC driver. Executors query the database themselves.
 *
 * <p>It is used as {@code spark.read().format("arbalest").option("source", "org.arbalest.spark.AdbcSource")}, with
 * these options:
 *
 * <ul>
 *   <li>{@code driver}: the driver's name, the path of its library, or {@code profile://NAME} for a connection profile
 *       ({@link Adbc}), the same on every host; {@code entrypoint}: the driver's entry point, if it is not the usual
 *       one
 *   <li>{@code database.…}, {@code connection.…}: options of the database and of its connections, by their names after
 *       the dot
 *   <li>{@code query}: SQL without a semicolon, which can stand in parentheses after {@code FROM}; or {@code table}:
 *       text that stands after {@code FROM} unchanged
 *   <li>{@code schema}: the columns with their Spark types, such as {@code id BIGINT, name STRING}. Without it, the
 *       source requests the schema from the driver: that of the query, or else that of the table. Columns must have the
 *       types in which the driver returns them. A driver that does not know types without rows, such as SQLite's, needs
 *       this option for a {@code query}
 *   <li>{@code quote}: the quotation mark of names, {@code "} by default, as in standard SQL. MySQL, BigQuery and
 *       Databricks need a backtick: they treat text in double quotes as a string
 *   <li>{@code partitionColumn}, {@code lowerBound}, {@code upperBound}, {@code numPartitions}: as in Spark's JDBC
 *       source. One query reads each range of a column of integers or decimals. The first and the last range are open,
 *       so the bounds omit no rows. Without these options the driver partitions the query. If the driver cannot, one
 *       task reads everything
 *   <li>{@code nanoseconds}: see {@link ColumnSource}
 * </ul>
 *
 * <p>The query requests only the needed columns. Spark applies conditions and limits, so a filter for the database
 * belongs into {@code query}.
 *
 * <p>Each task has its own connection. Partitions therefore read one state of the database only if the options select
 * that state, or if no other client writes.
 *
 * <p>A retried task can read its partition only if the driver permits a second read.
 */
public final class AdbcSource implements ColumnSource {
  private static final List<String> OPTIONS =
      List.of("source", "nanoseconds", "driver", "entrypoint", "query", "table", "schema", "quote", "partitionColumn",
          "lowerBound", "upperBound", "numPartitions");

  @Override
  public Schema schema(Map<String, String> options) {
    AdbcOptions.check(options, OPTIONS, "AdbcSource");
    Schema schema = declared(options);
    if (schema == null) schema = database(options).schema("SELECT * FROM " + from(options), table(options));
    String column = options.get("partitionColumn");
    if (column != null) checkIsExact(column, schema);
    return schema;
  }

  /** Returns the schema that the user has declared; null if none. */
  private static @Nullable Schema declared(Map<String, String> options) {
    String ddl = options.get("schema");
    if (ddl == null) return null;
    required(options, "driver");
    from(options);
    try {
      return ArrowTypes.of(StructType.fromDDL(ddl));
    } catch (Exception e) { // Spark's parser throws a checked exception that it does not declare
      throw new IllegalArgumentException("the option schema is " + ddl
          + ", but must list columns with types that Spark and Arrow have, such as id BIGINT, name STRING: "
          + e.getMessage(), e);
    }
  }

  private static @Nullable TableName table(Map<String, String> options) {
    String table = options.get("table");
    return table == null ? null : TableName.parse(table, quote(options));
  }

  /**
   * Checks the partition column. The comparison ignores case, because databases differ in whether the case of a name
   * matters.
   */
  private static void checkIsExact(String column, Schema schema) {
    List<Field> found = schema.fields().stream().filter(field -> field.name().equalsIgnoreCase(column)).toList();
    if (found.isEmpty()) {
      throw new IllegalArgumentException("partitionColumn is " + column + ", and the columns are "
          + schema.fields().stream().map(Field::name).toList());
    }
    if (found.stream().noneMatch(field -> isExact(field.type()))) {
      throw new IllegalArgumentException("partitionColumn is " + column + ", which is " + found.getFirst().type()
          + ", but must be an integer or a decimal; add a cast to the query");
    }
  }

  private static boolean isExact(DataType type) {
    return switch (type) {
      case FlatType.IntType _, FlatType.DecimalType _ -> true; // floats are excluded, because NaN would be in no range
      case NestedType.DictionaryType(_, Field values, _) -> isExact(values.type());
      default -> false;
    };
  }

  @Override
  public List<ColumnPartition> partitions(ScanRequest request) {
    Map<String, String> options = request.options();
    AdbcParts.Database database = database(options);
    String select = "SELECT " + columns(request.schema(), quote(options)) + " FROM " + from(options);
    if (options.get("partitionColumn") != null) return ranges(database, select, options);
    for (String bound : List.of("lowerBound", "upperBound", "numPartitions")) {
      if (options.get(bound) != null)
        throw new IllegalArgumentException("the option " + bound + " needs partitionColumn");
    }
    List<ColumnPartition> made = byDriver(database, select);
    return made == null ? List.of(new AdbcParts.Query(database, select)) : made;
  }

  private static String from(Map<String, String> options) {
    String query = options.get("query");
    String table = options.get("table");
    if ((query == null) == (table == null))
      throw new IllegalArgumentException("AdbcSource needs either option(\"query\", …) or option(\"table\", …)");
    return table != null ? table : "(" + query + "\n) AS arbalest";
  }

  /** Returns the list of columns for SELECT; a constant that Spark does not read, if Spark only counts rows. */
  private static String columns(Schema schema, String quote) {
    if (schema.fields().isEmpty()) return "1 AS one";
    return schema.fields().stream().map(Field::name).map(name -> quoted(name, quote)).collect(Collectors.joining(", "));
  }

  /** Returns the driver's own partitions of a query; null if the driver cannot partition it. */
  private static @Nullable List<ColumnPartition> byDriver(AdbcParts.Database database, String select) {
    return database.connected(connection -> {
      try (AdbcStatement statement = connection.createStatement()) {
        statement.setSqlQuery(select);
        var parts = new ArrayList<ColumnPartition>();
        for (byte[] part : statement.executePartitions().partitions())
          parts.add(new AdbcParts.Partition(database, part));
        return parts;
      } catch (AdbcException e) {
        if (e.status().equals(AdbcStatus.NOT_IMPLEMENTED)) return null;
        throw e;
      }
    });
  }

  private static List<ColumnPartition> ranges(AdbcParts.Database database, String select, Map<String, String> options) {
    String column = quoted(required(options, "partitionColumn"), quote(options));
    BigInteger lower = number(options, "lowerBound");
    BigInteger upper = number(options, "upperBound");
    int count = number(options, "numPartitions").intValueExact();
    if (count < 1 || upper.compareTo(lower) < 0) {
      throw new IllegalArgumentException("numPartitions is " + count + ", lowerBound " + lower + ", upperBound " + upper
          + ": there is at least 1 partition, and upperBound is not below lowerBound");
    }
    BigInteger width = upper.subtract(lower);
    var parts = new ArrayList<ColumnPartition>();
    for (int i = 0; i < count; i++) {
      BigInteger from = lower.add(width.multiply(BigInteger.valueOf(i)).divide(BigInteger.valueOf(count)));
      BigInteger to = lower.add(width.multiply(BigInteger.valueOf(i + 1)).divide(BigInteger.valueOf(count)));
      parts
          .add(new AdbcParts.Query(database, select + range(column, i == 0 ? null : from, i == count - 1 ? null : to)));
    }
    return parts;
  }

  /** Returns the condition of a range. A range without a lower end also includes nulls. */
  private static String range(String column, @Nullable BigInteger from, @Nullable BigInteger to) {
    if (from == null) return to == null ? "" : " WHERE " + column + " < " + to + " OR " + column + " IS NULL";
    return " WHERE " + column + " >= " + from + (to == null ? "" : " AND " + column + " < " + to);
  }

  private static BigInteger number(Map<String, String> options, String name) {
    String value = required(options, name);
    try {
      return new BigInteger(value.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("the option " + name + " is " + value + ", which is not an integer", e);
    }
  }
}
