// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark;

import static org.arbalest.spark.internal.adbc.AdbcOptions.database;
import static org.arbalest.spark.internal.adbc.AdbcOptions.quote;
import static org.arbalest.spark.internal.adbc.AdbcOptions.quoted;
import static org.arbalest.spark.internal.adbc.AdbcOptions.required;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.spark.sql.connector.expressions.Expression;
import org.apache.spark.sql.connector.expressions.SortOrder;
import org.apache.spark.sql.connector.expressions.aggregate.AggregateFunc;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.adbc.Adbc;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatement;
import org.arbalest.device.adbc.AdbcStatus;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.internal.adbc.AdbcOptions;
import org.arbalest.spark.internal.adbc.AdbcParts;
import org.arbalest.spark.internal.adbc.Aggregates;
import org.arbalest.spark.internal.adbc.Conditions;
import org.arbalest.spark.internal.adbc.Dialect;
import org.arbalest.spark.internal.adbc.QueryColumns;
import org.arbalest.spark.internal.adbc.Ranges;
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
 *   <li>{@code pushDownPredicate}, {@code pushDownLimit}, {@code pushDownAggregate}: {@code false} leaves conditions,
 *       limits with or without an order, or aggregates to Spark
 *   <li>{@code nanoseconds}: see {@link ColumnSource}
 * </ul>
 *
 * <p>The query requests only the needed columns. DuckDB and PostgreSQL also do work that they do exactly as Spark:
 *
 * <ul>
 *   <li>Conditions: comparisons and IN of integers, booleans, dates, timestamps of microseconds, and in DuckDB
 *       decimals; equality and IN of text, its start, end and parts; tests for null; AND, OR and NOT of these
 *   <li>Limits, and the first rows in the order of integers, in DuckDB also of decimals, dates and timestamps
 *   <li>COUNT, MIN and MAX of columns that have such an order, and SUM of integers
 *   <li>GROUP BY and DISTINCT of columns whose equality is in the first line
 *   <li>Without {@code partitionColumn} and sums of bigints, the first groups in the order of such columns or results
 * </ul>
 *
 * <p>Spark does all other work, so for example a filter on floats for the database belongs into {@code query}.
 *
 * <p>Each task has its own connection. Partitions therefore read one state of the database only if the options select
 * that state, or if no other client writes.
 *
 * <p>A retried task can read its partition only if the driver permits a second read.
 */
public final class AdbcSource implements ColumnSource {
  private static final List<String> OPTIONS =
      List.of("source", "nanoseconds", "driver", "entrypoint", "query", "table", "schema", "quote", "partitionColumn",
          "lowerBound", "upperBound", "numPartitions", "pushDownPredicate", "pushDownLimit", "pushDownAggregate");
  private static final List<String> PUSHED = List.of("pushDownPredicate", "pushDownLimit", "pushDownAggregate");

  /** The schema and the columns of the last call's query. They are kept because each request of them connects. */
  private volatile @Nullable Known known;

  /** The columns are null until they are needed. */
  private record Known(Map<String, String> options, Schema schema, @Nullable QueryColumns columns) {}

  @Override
  public Schema schema(Map<String, String> options) {
    AdbcOptions.check(options, OPTIONS, "AdbcSource");
    boolean pushes = PUSHED.stream().filter(name -> isOn(options, name)).count() > 0; // checks all of them
    Schema declared = declared(options);
    Known found = declared != null ? new Known(Map.copyOf(options), declared, null)
        : database(options).connected(connection -> {
          Schema schema = AdbcParts.Database.schema(connection, "SELECT * FROM " + from(options), table(options));
          QueryColumns columns = pushes ? columns(connection, schema, options) : null;
          return new Known(Map.copyOf(options), schema, columns);
        });
    String column = options.get("partitionColumn");
    if (column != null) Ranges.checkIsExact(column, found.schema());
    known = found;
    return found.schema();
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

  private static QueryColumns columns(AdbcConnection connection, Schema schema, Map<String, String> options) {
    return database(options).columns(connection, schema, closed(options), quote(options));
  }

  /** Returns the columns of the query with their kinds in the database. */
  private QueryColumns columns(Map<String, String> options) {
    Known last = known(options);
    if (last != null && last.columns() != null) return last.columns();
    Schema schema = last == null ? schema(options) : last.schema();
    last = known(options); // which a first call of schema has set
    if (last != null && last.columns() != null) return last.columns();
    QueryColumns columns = database(options).connected(connection -> columns(connection, schema, options));
    known = new Known(Map.copyOf(options), schema, columns);
    return columns;
  }

  private @Nullable Known known(Map<String, String> options) {
    Known last = known;
    return last != null && last.options().equals(options) ? last : null;
  }

  /** Returns whether the database decides a condition exactly as Spark does; see the class. */
  @Override
  public boolean accepts(Predicate predicate, Map<String, String> options) {
    return isOn(options, "pushDownPredicate") && new Conditions(columns(options)).sql(predicate) != null;
  }

  /** Returns whether the database sorts as Spark does; see the class. */
  @Override
  public boolean acceptsOrder(List<SortOrder> order, Map<String, String> options) {
    return isOn(options, "pushDownLimit")
        && order.stream().map(SortOrder::expression).allMatch(new Aggregates(columns(options))::ranks);
  }

  /** Returns the columns of groups and aggregates that the database computes exactly as Spark does; see the class. */
  @Override
  public Optional<Schema> aggregated(List<Expression> groups, List<AggregateFunc> aggregates,
      Map<String, String> options) {
    return isOn(options, "pushDownAggregate")
        ? Optional.ofNullable(new Aggregates(columns(options)).schema(groups, aggregates))
        : Optional.empty();
  }

  /** Returns whether one query has all rows, and one row for each group. */
  @Override
  public boolean aggregatesCompletely(List<Expression> groups, List<AggregateFunc> aggregates,
      Map<String, String> options) {
    return options.get("partitionColumn") == null && isOn(options, "pushDownAggregate")
        && new Aggregates(columns(options)).areComplete(groups, aggregates);
  }

  @Override
  public List<ColumnPartition> partitions(ScanRequest request) {
    Map<String, String> options = request.options();
    AdbcParts.Database database = database(options);
    var conditions = new ArrayList<String>();
    for (Predicate predicate : request.predicates()) conditions.add(sql(predicate, options));
    String ranged = options.get("partitionColumn");
    if (ranged != null) {
      String column = quoted(ranged, quote(options));
      var parts = new ArrayList<ColumnPartition>();
      for (String range : Ranges.conditions(column, options))
        parts.add(new AdbcParts.Query(database, dialect(options), sql(request, range, conditions)));
      return parts;
    }
    for (String bound : List.of("lowerBound", "upperBound", "numPartitions")) {
      if (options.get(bound) != null)
        throw new IllegalArgumentException("the option " + bound + " needs partitionColumn");
    }
    String query = sql(request, null, conditions);
    Dialect dialect = dialect(options);
    List<ColumnPartition> made = dialect == Dialect.OTHER ? byDriver(database, query) : null;
    return made == null ? List.of(new AdbcParts.Query(database, dialect, query)) : made;
  }

  /** Returns the dialect of the last call's database. The drivers of known dialects do not partition a query. */
  private Dialect dialect(Map<String, String> options) {
    Known last = known(options);
    return last == null || last.columns() == null ? Dialect.OTHER : last.columns().dialect();
  }

  private String sql(Predicate accepted, Map<String, String> options) {
    String sql = new Conditions(columns(options)).sql(accepted);
    if (sql == null) throw new IllegalArgumentException("AdbcSource has not accepted the condition " + accepted);
    return sql;
  }

  /**
   * Returns the query of a partition.
   *
   * @param range the condition of the partition's range; null for all rows
   */
  private String sql(ScanRequest request, @Nullable String range, List<String> conditions) {
    Map<String, String> options = request.options();
    var where = new ArrayList<String>();
    if (range != null) where.add(range);
    where.addAll(conditions);
    String first = first(request);
    boolean isPlain = where.isEmpty() && first.isEmpty() && request.groups().isEmpty();
    String source = "FROM " + (isPlain ? from(options) : closed(options))
        + (where.isEmpty() ? "" : " WHERE " + String.join(" AND ", where));
    return request.isAggregate()
        ? new Aggregates(columns(options)).select(request.groups(), request.aggregates(), source, first)
        : "SELECT " + columns(request.schema(), quote(options)) + " " + source + first;
  }

  /** Returns the order and the limit that each query has; Spark sorts and limits all of them together. */
  private String first(ScanRequest request) {
    Map<String, String> options = request.options();
    if (request.limit().isEmpty() || !isOn(options, "pushDownLimit") || columns(options).dialect() == Dialect.OTHER)
      return "";
    String order = request.isAggregate()
        ? new Aggregates(columns(options)).order(request.groups(), request.aggregates(), request.order())
        : columns(options).order(request.order());
    return (order.isEmpty() ? "" : " ORDER BY " + order) + " LIMIT " + request.limit().getAsInt();
  }

  private static boolean isOn(Map<String, String> options, String name) {
    String value = options.getOrDefault(name, "true");
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("the option " + name + " is " + value
          + ", but must be true or false");
    };
  }

  private static String from(Map<String, String> options) {
    String query = options.get("query");
    String table = options.get("table");
    if ((query == null) == (table == null))
      throw new IllegalArgumentException("AdbcSource needs either option(\"query\", …) or option(\"table\", …)");
    return table != null ? table : "(" + query + "\n) AS arbalest";
  }

  /** Returns what stands after FROM, such that WHERE may follow: a table's text may itself end with a condition. */
  private static String closed(Map<String, String> options) {
    String from = from(options);
    boolean mayEndOpen = options.get("table") != null && table(options) == null;
    return mayEndOpen ? "(SELECT * FROM " + from + "\n) AS arbalest" : from;
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
}
