// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.sink;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
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
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/** A plan of a write into a table, which Spark makes on the driver. It changes nothing. */
public final class AdbcSink implements WriteBuilder, SupportsTruncate {
  private static final List<String> OPTIONS = List.of("source", "driver", "entrypoint", "table", "quote");

  private final Map<String, String> options;
  private final StructType type;
  private final String query;
  private final boolean failsIfExists;
  private boolean isOverwrite;

  /**
   * Creates a plan.
   *
   * @param options the options in the case of the user's names; a lookup ignores the case
   * @param info the DataFrame's schema and the id of its query
   * @param failsIfExists whether an existing table is an error
   */
  public AdbcSink(Map<String, String> options, LogicalWriteInfo info, boolean failsIfExists) {
    this.options = options;
    this.type = info.schema();
    this.query = info.queryId();
    this.failsIfExists = failsIfExists;
  }

  /**
   * The table that the options name.
   *
   * @param text the name as the user wrote it
   */
  private record Target(AdbcParts.Database database, String text, TableName name, String quote) {
    static Target of(Map<String, String> options) {
      AdbcOptions.check(options, OPTIONS, "a write by AdbcSource");
      String quote = AdbcOptions.quote(options);
      AdbcParts.Database database = AdbcOptions.database(options);
      String text = AdbcOptions.required(options, "table");
      TableName name = TableName.parse(text, quote);
      if (name == null) throw new IllegalArgumentException(
          "cannot write into " + text
              + ": option(\"table\", …) must be the name of a table, perhaps behind the names of "
              + "its catalog and its schema");
      return new Target(database, text, name, quote);
    }

    /** Returns the table's schema; null if it does not exist. */
    @Nullable
    Schema schema() {
      return database.tableSchema(text, name);
    }
  }

  /**
   * Returns whether the table exists.
   *
   * @throws IllegalArgumentException if an option is missing or unknown
   */
  static boolean exists(Map<String, String> options) {
    return Target.of(options).schema() != null;
  }

  @Override
  public WriteBuilder truncate() {
    isOverwrite = true;
    return this;
  }

  /**
   * Checks the options and the columns.
   *
   * @throws IllegalArgumentException if an option is missing or unknown, a column has no type in Arrow, or the table
   *     lacks a column. An existing table that must not exist is Spark's own {@link TableAlreadyExistsException}
   */
  @Override
  public Write build() {
    Target target = Target.of(options);
    List<String> columns = ArrowTypes.of(type).fields().stream().map(Field::name).toList();
    checkDiffer(columns, target.text);
    Schema there = target.schema();
    if (failsIfExists && there != null)
      throw AdbcSink.<RuntimeException>unchecked(
          new TableAlreadyExistsException(CollectionConverters.asScala(target.name.parts()).toSeq()));
    var staging = new Staging(target.database, target.text, target.name, target.quote, query, columns,
        there == null ? null : matching(columns, there, target.text));
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

  /** Throws a checked exception that Spark's methods throw without declaring it. */
  @SuppressWarnings("unchecked")
  private static <E extends Exception> RuntimeException unchecked(Exception exception) throws E {
    throw (E) exception;
  }

  private static void checkDiffer(List<String> columns, String table) {
    if (columns.isEmpty())
      throw new IllegalArgumentException("cannot write into the table " + table + ": the DataFrame has no columns");
    var seen = new HashSet<String>();
    for (String column : columns) {
      if (!seen.add(column)) throw new IllegalArgumentException("cannot write into the table " + table
          + ": two columns have the name " + column + "; rename one of " + columns);
    }
  }

  /**
   * Returns the table's names of the DataFrame's columns, in the order of the DataFrame. The case of names is ignored
   * if no name is equal. The database fills the table's other columns.
   */
  static List<String> matching(List<String> columns, Schema there, String table) {
    List<String> all = there.fields().stream().map(Field::name).toList();
    var left = new ArrayList<>(all);
    var extra = new ArrayList<String>();
    var found = new ArrayList<String>();
    for (String column : columns) {
      List<String> alike = left.contains(column) ? List.of(column)
          : left.stream().filter(each -> each.equalsIgnoreCase(column) && !columns.contains(each)).toList();
      if (alike.size() > 1)
        throw new IllegalArgumentException("cannot write the column " + column + " into the table " + table
            + ": it has the columns " + alike + "; rename the column to one of these");
      if (alike.isEmpty()) extra.add(column);
      else {
        found.add(alike.getFirst());
        left.remove(alike.getFirst());
      }
    }
    if (extra.isEmpty()) return found;
    throw new IllegalArgumentException("cannot write the columns " + extra + " into the table " + table
        + ": it has only " + all + "; rename these columns, or drop them");
  }
}
