// SPDX-License-Identifier: Apache-2.0
package org.arbalest.spark.internal.adbc;

import java.io.Serializable;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.spark.TaskContext;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.Adbc;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcDatabase;
import org.arbalest.device.adbc.AdbcDriver;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcObjects;
import org.arbalest.device.adbc.AdbcStatement;
import org.arbalest.device.adbc.AdbcStatus;
import org.arbalest.device.types.Schema;
import org.arbalest.spark.ColumnPartition;
import org.arbalest.spark.ColumnTask;
import org.arbalest.spark.internal.task.LeakCheck;
import org.arbalest.spark.internal.task.TaskWatch;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a query that one task reads. Each reader has its own connection. All readers of a process with the same
 * options share one database, which the last of them closes. A database of PostgreSQL stays open for a moment.
 */
public final class AdbcParts {
  private AdbcParts() {}

  /** Requests the driver to cancel the call that a thread makes of a connection. No call is not an error. */
  public static void cancel(AdbcConnection connection, Thread caller) {
    try {
      connection.cancel(caller);
    } catch (AdbcException e) { // the cancelled call reports its own error; it may not have begun, or be over
      if (!e.status().equals(AdbcStatus.INVALID_STATE) && !e.status().equals(AdbcStatus.NOT_IMPLEMENTED)) throw e;
    }
  }

  /**
   * The database of a query.
   *
   * @param driver the driver's name, the path of its library, or the URI of a connection profile
   * @param entrypoint the driver's entry point; null for the usual one
   * @param databaseOptions the options of the database, in a map that Spark can serialize, like the next parameter
   */
  public record Database(String driver, @Nullable String entrypoint, Map<String, String> databaseOptions,
      Map<String, String> connectionOptions)
      implements Serializable {
    static final String PROFILE = "profile://";
    private static final Map<Database, AdbcDriver> LOADED = new ConcurrentHashMap<>();

    /** The open databases of this process. Connections differ in their options, so the key has none of these. */
    private static final Shared<Database, AdbcDatabase> OPEN = new Shared<>(Database::open, AdbcDatabase::close);

    /**
     * Databases that stay open for 30 seconds after their opening, also without users. They have no connection then.
     * They close after this time, because the driver finds types that are created later only in a new database.
     */
    private static final Kept<Database> KEPT =
        new Kept<>(OPEN::use, CompletableFuture.delayedExecutor(30, TimeUnit.SECONDS));

    private AdbcDatabase open() {
      return Secrets.hiding(databaseOptions, this::opened);
    }

    private AdbcDatabase opened() {
      if (driver.startsWith(PROFILE)) return Adbc.open(driver, optionsOfProfile());
      return LOADED.computeIfAbsent(new Database(driver, entrypoint, Map.of(), Map.of()), Database::load)
          .open(databaseOptions);
    }

    private Map<String, String> optionsOfProfile() {
      Map<String, String> all = new HashMap<>(databaseOptions);
      if (entrypoint != null) all.put("entrypoint", entrypoint);
      return all;
    }

    private AdbcDriver load() {
      return entrypoint == null ? AdbcDriver.load(driver) : AdbcDriver.load(Path.of(driver), entrypoint);
    }

    private Shared<Database, AdbcDatabase>.Use use() {
      return OPEN.use(key());
    }

    private Database key() {
      return new Database(driver, entrypoint, databaseOptions, Map.of());
    }

    /**
     * Keeps the open database for a moment, if opening it is slow. PostgreSQL's driver reads all types of the database
     * then, in 15 ms or more. A check for leaks would find the database.
     */
    private void keep(Dialect dialect) {
      if (dialect == Dialect.POSTGRESQL && !LeakCheck.isOn()) KEPT.keep(key());
    }

    /** Makes a call with a new connection, which is closed after it. If a task is killed, its wait for it ends. */
    public <T extends @Nullable Object> T connected(Function<AdbcConnection, T> call) {
      TaskContext task = TaskContext.get();
      try (var used = use();
          AdbcConnection connection = connect(used.value(), task)) {
        return call.apply(connection);
      }
    }

    private AdbcConnection connect(AdbcDatabase database, @Nullable TaskContext task) {
      Map<String, String> options = new HashMap<>(databaseOptions);
      connectionOptions.forEach((name, value) -> options.put("connection." + name, value));
      return Secrets.hiding(options, () -> task == null ? database.connect(connectionOptions)
          : Connecting.open(database, connectionOptions, task));
    }

    /**
     * Returns the schema of a query without executing it. If the driver cannot, the schema is that of the table. If the
     * query has another form, or the driver does not find the table, the query runs with a condition that no row
     * fulfils. Some databases then guess types, because they know them only from rows.
     *
     * @param table the table whose columns the query selects; null if it is no table
     */
    public static Schema schema(AdbcConnection connection, String sql, @Nullable TableName table) {
      Schema known = ofQuery(connection, sql);
      if (known == null && table != null) known = ofTable(connection, table);
      if (known != null) return known;
      try (RecordBatchReader none = connection.query(sql + " WHERE 1 = 0")) {
        return none.schema();
      }
    }

    /**
     * Returns the columns of a query, with their kinds in the database.
     *
     * @param from the text after FROM
     * @param quote the quotation mark of names
     */
    public QueryColumns columns(AdbcConnection connection, Schema schema, String from, String quote) {
      QueryColumns columns = DatabaseTypes.of(connection, schema, from, quote);
      keep(columns.dialect());
      return columns;
    }

    /**
     * Returns the schema of a table; null if the table does not exist.
     *
     * @param sql the table in SQL
     */
    public @Nullable Schema tableSchema(String sql, TableName table) {
      try {
        return connected(connection -> schema(connection, "SELECT * FROM " + sql, table));
      } catch (AdbcException e) { // each driver has its own status for an unknown table
        if (connected(connection -> exists(connection, table))) throw e;
        return null;
      }
    }

    private static boolean exists(AdbcConnection connection, TableName table) {
      AdbcObjects of = AdbcObjects.to(AdbcObjects.Depth.TABLES);
      String dbSchema = table.dbSchema() == null ? currentDbSchema(connection) : table.dbSchema();
      // a driver takes the schema as a pattern, in which _ is any character, and returns those of all catalogs
      return connection.objects(dbSchema == null ? of : of.inSchema(dbSchema)).stream()
          .filter(catalog -> isNamed(table.catalog(), catalog.name()))
          .flatMap(catalog -> catalog.dbSchemas().stream()).filter(schema -> isNamed(dbSchema, schema.name()))
          .flatMap(schema -> schema.tables().stream()).anyMatch(each -> each.name().equalsIgnoreCase(table.name()));
    }

    private static boolean isNamed(@Nullable String needed, @Nullable String name) {
      return needed == null || needed.equalsIgnoreCase(name);
    }

    private static @Nullable String currentDbSchema(AdbcConnection connection) {
      try {
        return connection.currentDbSchema();
      } catch (AdbcException _) { // a database without schemas, or a driver without this option
        return null;
      }
    }

    private static @Nullable Schema ofQuery(AdbcConnection connection, String sql) {
      try (AdbcStatement statement = connection.createStatement()) {
        statement.setSqlQuery(sql);
        return statement.executeSchema();
      } catch (AdbcException e) {
        if (!e.status().equals(AdbcStatus.NOT_IMPLEMENTED)) throw e;
        return null;
      }
    }

    /** Makes all columns nullable, because the results of queries do not have the constraints of a table. */
    private static @Nullable Schema ofTable(AdbcConnection connection, TableName table) {
      try {
        Schema schema = connection.tableSchema(table.catalog(), table.dbSchema(), table.name());
        return Schema.of(schema.fields().stream().map(field -> field.withNullable(true)).toList());
      } catch (AdbcException _) { // drivers have own statuses for an unknown table; the query that follows finds others
        return null;
      }
    }

    /**
     * Reads through a new connection. If the task is killed, its wait for the connection ends, and the driver receives
     * a request to cancel the query. The reader keeps the shared database until it closes.
     */
    private RecordBatchReader read(Dialect dialect, Function<AdbcConnection, RecordBatchReader> call) {
      Thread caller = Thread.currentThread();
      TaskContext task = TaskContext.get();
      var used = use();
      try (AdbcConnection connection = connect(used.value(), task);
          TaskWatch _ = TaskWatch.over(task, () -> cancel(connection, caller))) {
        keep(dialect);
        return ending(call.apply(connection), used);
      } catch (Throwable t) {
        try {
          used.close();
        } catch (RuntimeException second) {
          t.addSuppressed(second);
        }
        throw t;
      }
    }

    private static RecordBatchReader ending(RecordBatchReader result, Shared<Database, AdbcDatabase>.Use used) {
      try {
        return RecordBatchReader.of(result.schema(), result.deviceType(), new Result(result, used));
      } catch (Throwable t) {
        result.close();
        throw t;
      }
    }

    /** Omits the options, which may contain passwords. */
    @Override
    public String toString() {
      return "a database of " + driver;
    }
  }

  /** A result, which ends its use of the database when it closes. */
  private record Result(RecordBatchReader reader, Shared<Database, AdbcDatabase>.Use used)
      implements DeviceArrayReader.Source<RecordBatch> {
    @Override
    public @Nullable RecordBatch next() {
      return reader.next();
    }

    @Override
    public void cancel() {
      reader.close();
    }

    @Override
    public void close() {
      try (used) {
        reader.close();
      }
    }
  }

  /** A query of a whole range, with its own connection. */
  public record Query(Database database, Dialect dialect, String sql) implements ColumnPartition {
    /** Creates a query of an unknown database. */
    public Query(Database database, String sql) {
      this(database, Dialect.OTHER, sql);
    }

    @Override
    public RecordBatchReader open(ColumnTask task) {
      return database.read(dialect, connection -> connection.query(sql));
    }
  }

  /** A partition of the driver, identified by the driver's descriptor. */
  public static final class Partition implements ColumnPartition {
    private static final long serialVersionUID = 1;
    private final Database database;
    private final byte[] part;

    public Partition(Database database, byte[] part) {
      this.database = database;
      this.part = part;
    }

    @Override
    public RecordBatchReader open(ColumnTask task) {
      return database.read(Dialect.OTHER, connection -> connection.readPartition(part));
    }
  }
}
