// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.sink;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.connector.write.BatchWrite;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.types.StructType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.internal.adbc.AdbcOptions;
import org.arbalest.spark.internal.adbc.AdbcParts;
import org.arbalest.spark.internal.adbc.TableName;
import org.arbalest.spark.internal.columns.ArrowTypes;

/** A plan of a write into a table, which Spark makes on the driver. It changes nothing. */
public final class AdbcSink implements WriteBuilder, SupportsTruncate {
  private static final List<String> OPTIONS = List.of("source", "driver", "entrypoint", "table", "quote");

  private final Map<String, String> options;
  private final StructType type;
  private final String query;
  private boolean isOverwrite;

  /**
   * Creates a plan.
   *
   * @param options the options in the case of the user's names; a lookup ignores the case
   * @param info the DataFrame's schema and the id of its query
   */
  public AdbcSink(Map<String, String> options, LogicalWriteInfo info) {
    this.options = options;
    this.type = info.schema();
    this.query = info.queryId();
  }

  @Override
  public WriteBuilder truncate() {
    isOverwrite = true;
    return this;
  }

  /**
   * Checks the options and the columns.
   *
   * @throws IllegalArgumentException if an option is missing or unknown, a column has no type in Arrow, or the names of
   *     the columns are not those of the table
   */
  @Override
  public Write build() {
    AdbcOptions.check(options, OPTIONS, "a write by AdbcSource");
    String quote = AdbcOptions.quote(options);
    AdbcParts.Database database = AdbcOptions.database(options);
    String table = AdbcOptions.required(options, "table");
    TableName name = TableName.parse(table, quote);
    if (name == null) throw new IllegalArgumentException(
        "cannot write into " + table
            + ": option(\"table\", …) must be the name of a table, perhaps behind the names of "
            + "its catalog and its schema");
    List<String> columns = ArrowTypes.of(type).fields().stream().map(Field::name).toList();
    checkDiffer(columns, table);
    Schema there = database.tableSchema(table, name);
    var staging = new Staging(database, table, name, quote, query, columns,
        there == null ? null : matching(columns, there, table));
    return new Write() {
      @Override
      public String description() {
        return staging.toString();
      }

      @Override
      public BatchWrite toBatch() {
        return new TableWrite(staging, type, isOverwrite);
      }
    };
  }

  private static void checkDiffer(List<String> columns, String table) {
    var seen = new HashSet<String>();
    for (String column : columns) {
      if (!seen.add(column)) throw new IllegalArgumentException("cannot write into the table " + table
          + ": two columns have the name " + column + "; rename one of " + columns);
    }
  }

  /**
   * Returns the table's names of the DataFrame's columns, in the order of the DataFrame. The case of names is ignored
   * if no name is equal.
   */
  private static List<String> matching(List<String> columns, Schema there, String table) {
    var left = new ArrayList<String>();
    there.fields().forEach(field -> left.add(field.name()));
    var extra = new ArrayList<String>();
    var found = new ArrayList<String>();
    for (String column : columns) {
      int at = left.indexOf(column);
      for (int i = 0; at < 0 && i < left.size(); i++) {
        if (left.get(i).equalsIgnoreCase(column) && !columns.contains(left.get(i))) at = i;
      }
      if (at < 0) extra.add(column);
      else found.add(left.remove(at));
    }
    if (extra.isEmpty() && left.isEmpty()) return found;
    throw new IllegalArgumentException("the DataFrame does not have the columns of the table " + table + ": "
        + (extra.isEmpty() ? "" : "the table has no " + extra) + (extra.isEmpty() || left.isEmpty() ? "" : ", and ")
        + (left.isEmpty() ? "" : "the DataFrame has no " + left) + "; select the table's columns, by their names");
  }
}
