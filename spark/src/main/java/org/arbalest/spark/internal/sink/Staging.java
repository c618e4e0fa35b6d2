// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.sink;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcIngest;
import org.arbalest.device.adbc.AdbcIngest.Mode;
import org.arbalest.device.adbc.AdbcStatus;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.internal.adbc.AdbcOptions;
import org.arbalest.spark.internal.adbc.AdbcParts;
import org.arbalest.spark.internal.adbc.Dialect;
import org.arbalest.spark.internal.adbc.TableName;
import org.jspecify.annotations.Nullable;

/**
 * The table that receives the rows of a job before they are in their table. It has one more column, with the attempt
 * of the task that wrote the row: the job moves only rows of attempts that Spark has accepted.
 *
 * @param table the target as the user wrote it
 * @param name the parts of the target's name
 * @param query the id of the job's query
 * @param columns the columns of the DataFrame
 * @param targets the target's columns in the same order; null if the target does not exist
 */
record Staging(AdbcParts.Database database, String table, TableName name, String quote, String query,
    List<String> columns, @Nullable List<String> targets)
    implements Serializable {
  /** The column with Spark's number of the task's attempt. */
  static final Field ATTEMPT = Field.of("arbalest_attempt", DataType.INT64).withNullable(false);

  private static final System.Logger LOGGER = System.getLogger(Staging.class.getName());

  /** PostgreSQL's SQLSTATE for a missing right. */
  private static final String FORBIDDEN = "42501";

  private static final int TRIES = 50;
  private static final long PAUSE_MILLIS = 100;

  /** Creates the staging table, and lets the database check that its types fit the target. */
  void create(Schema schema) {
    var fields = new ArrayList<>(schema.fields().stream().map(field -> field.withNullable(true)).toList());
    fields.add(ATTEMPT);
    database.connected(connection -> {
      connection.ingest(ingest(Mode.CREATE), RecordBatchReader.of(Schema.of(fields), List.of()));
      try {
        if (targets != null) connection.execute(insert(targets, List.of()));
      } catch (Throwable t) {
        drop(connection, t);
        throw t;
      }
      return null;
    });
  }

  /** Returns the target of the bulk ingest into this table. */
  AdbcIngest ingest(Mode mode) {
    return new AdbcIngest(bare(), mode, name.catalog(), name.dbSchema(), false);
  }

  /**
   * Moves rows into the target, in one transaction, then drops this table. A target that does not exist is created.
   *
   * @param attempts the attempts that have rows
   * @param rows the number of their rows
   * @param isOverwrite whether the rows of the target are deleted
   */
  void move(List<Long> attempts, long rows, boolean isOverwrite) {
    var isMoved = new AtomicBoolean();
    var isDropped = new AtomicBoolean();
    try {
      database.connected(connection -> {
        boolean isTransaction = move(connection, attempts, rows, isOverwrite);
        isMoved.set(true);
        if (isTransaction) connection.setAutoCommit(true);
        drop(connection);
        isDropped.set(true);
        return null;
      });
    } catch (RuntimeException e) { // a failed job would be repeated, so it does not fail if the rows are in the target
      if (!isMoved.get()) throw e;
      if (!isDropped.get()) dropMoved(e);
    }
  }

  /** Moves the rows. Returns whether the connection has used a transaction, which is over. */
  private boolean move(AdbcConnection connection, List<Long> attempts, long rows, boolean isOverwrite) {
    if (targets == null) {
      connection.execute("CREATE TABLE " + table + " AS " + select(attempts));
      return false;
    }
    String lock = isOverwrite ? Dialect.of(connection).lock(connection, table) : null;
    boolean isTransaction = begin(connection, isOverwrite);
    try {
      if (isOverwrite) {
        if (lock != null) lock(connection, lock);
        connection.execute("DELETE FROM " + table + " WHERE 1 = 1");
      }
      long moved = attempts.isEmpty() ? rows : connection.execute(insert(targets, attempts));
      if (moved >= 0 && moved != rows) {
        String words = "the tasks wrote " + rows + " rows, but the database has moved " + moved + " into the table ";
        if (isTransaction) throw new IllegalStateException(words + table);
        LOGGER.log(System.Logger.Level.WARNING, words + table); // a failed job would be repeated, and write them again
      }
      if (isTransaction) connection.commit();
    } catch (Throwable t) {
      if (isTransaction) rollBack(connection, t);
      throw t;
    }
    return isTransaction;
  }

  private static void lock(AdbcConnection connection, String lock) {
    try {
      connection.execute(lock);
    } catch (AdbcException e) {
      if (!FORBIDDEN.equals(e.sqlState())) throw e;
      throw new IllegalStateException("an overwrite locks the table, and all tables in a view: grant UPDATE or DELETE, "
          + "on those of a view to its owner, of a security_invoker view to yourself, or overwrite the table itself: "
          + e.getMessage(), e);
    }
  }

  /** Drops this table by another connection, after a failure. Speculative tasks may still lock it. */
  private void dropMoved(RuntimeException why) {
    try {
      drop();
    } catch (RuntimeException e) {
      e.addSuppressed(why);
      LOGGER.log(System.Logger.Level.WARNING,
          "the rows are in the table " + table + ", but its staging table " + sql() + " is left; drop it", e);
    }
  }

  /** Begins a transaction. Returns whether the driver has transactions: an append is one statement, and needs none. */
  private static boolean begin(AdbcConnection connection, boolean isNeeded) {
    try {
      connection.setAutoCommit(false);
      return true;
    } catch (AdbcException e) {
      if (isNeeded || !e.status().equals(AdbcStatus.NOT_IMPLEMENTED)) throw e;
      return false;
    }
  }

  private static void rollBack(AdbcConnection connection, Throwable why) {
    try {
      connection.rollback();
    } catch (RuntimeException e) {
      why.addSuppressed(e);
    }
  }

  /**
   * Drops this table with all that failed attempts wrote. Tasks of a failed job may still lock it, so this method tries
   * for some seconds.
   */
  void drop() {
    for (int left = TRIES; left > 0; left--) {
      try {
        database.connected(connection -> {
          drop(connection);
          return null;
        });
        return;
      } catch (AdbcException e) {
        if (left == 1) throw e;
      }
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        left = Math.min(left, 2); // one more try
      }
    }
  }

  private void drop(AdbcConnection connection, Throwable why) {
    try {
      drop(connection);
    } catch (RuntimeException e) {
      why.addSuppressed(e);
    }
  }

  private void drop(AdbcConnection connection) {
    connection.execute("DROP TABLE " + sql());
  }

  private String insert(List<String> into, List<Long> attempts) {
    return "INSERT INTO " + table + " (" + list(into.stream()) + ") " + select(attempts);
  }

  private String select(List<Long> attempts) {
    String which = attempts.isEmpty() ? "1 = 0"
        : AdbcOptions.quoted(ATTEMPT.name(), quote)
            + attempts.stream().map(String::valueOf).collect(Collectors.joining(", ", " IN (", ")"));
    return "SELECT " + list(columns.stream()) + " FROM " + sql() + " WHERE " + which;
  }

  private String list(Stream<String> names) {
    return names.map(each -> AdbcOptions.quoted(each, quote)).collect(Collectors.joining(", "));
  }

  private String bare() {
    return "arbalest_staging_" + query.replace("-", "");
  }

  /** Returns this table's name in SQL, with the target's schema as the user wrote it. */
  private String sql() {
    int parts = (name.catalog() == null ? 0 : 1) + (name.dbSchema() == null ? 0 : 1);
    String last = AdbcOptions.quoted(name.name(), quote);
    String text = table.strip();
    int end = text.endsWith(last) ? text.length() - last.length() : text.length() - name.name().length();
    return (parts == 0 ? "" : text.substring(0, end)) + AdbcOptions.quoted(bare(), quote);
  }

  /** Adds the table's name to an error of the database. */
  RuntimeException named(String what, RuntimeException error) {
    return new IllegalStateException("cannot " + what + " the table " + table + ": " + error.getMessage(), error);
  }

  @Override
  public String toString() {
    return "table " + table + " of " + database;
  }
}
