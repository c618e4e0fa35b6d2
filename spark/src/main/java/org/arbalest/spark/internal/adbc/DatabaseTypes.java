// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;

/** The types of a query's columns by the database's names: a driver returns several of them by one Arrow type. */
final class DatabaseTypes {
  private DatabaseTypes() {}

  /**
   * Queries the kinds of the columns. The database does not run the query for this. If it does not answer, no column
   * has a kind, and Spark does the work.
   *
   * @param from the text after FROM
   */
  static QueryColumns of(AdbcConnection connection, Schema schema, String from, String quote) {
    Dialect dialect = Dialect.of(connection);
    Map<String, String> types;
    try {
      types = switch (dialect) {
        case DUCKDB -> described(connection, from);
        case POSTGRESQL -> typed(connection, schema, from, quote);
        case OTHER -> Map.of();
      };
    } catch (AdbcException _) { // a lost connection fails again in the query itself
      types = Map.of();
    }
    return new QueryColumns(dialect, schema, types, quote);
  }

  private static Map<String, String> described(AdbcConnection connection, String from) {
    var types = new HashMap<String, String>();
    try (RecordBatchReader rows = connection.query("DESCRIBE SELECT * FROM " + from)) {
      rows.forEach(batch -> {
        for (long row = 0; row < batch.length(); row++)
          types.put(batch.column("column_name").getString(row), batch.column("column_type").getString(row));
      });
    }
    return types;
  }

  /** Queries the types of the columns in a row of nulls. */
  private static Map<String, String> typed(AdbcConnection connection, Schema schema, String from, String quote) {
    List<String> names = schema.fields().stream().map(Field::name).distinct().toList();
    String sql = names.stream()
        .map(name -> ", CAST(pg_catalog.pg_typeof(q." + AdbcOptions.quoted(name, quote) + ") AS text)")
        .collect(Collectors.joining("", "SELECT pg_catalog.current_setting('server_encoding')",
            " FROM (SELECT 1) AS one LEFT JOIN (SELECT * FROM " + from + ") AS q ON false"));
    var types = new HashMap<String, String>();
    try (RecordBatchReader rows = connection.query(sql)) {
      rows.forEach(row -> { // to the end: a result that is closed before it is cancelled, by a further connection
        // text of another encoding may lack a literal's character
        boolean hasText = "UTF8".equals(row.column(0).getString(0));
        for (int i = 0; i < names.size(); i++) {
          String type = row.column(i + 1).getString(0);
          boolean isText = type.equals("text") || type.equals("character varying");
          if (hasText || !isText) types.put(names.get(i), type);
        }
      });
    }
    return types;
  }
}
