// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcDatabase;
import org.arbalest.device.adbc.AdbcDriver;
import org.arbalest.device.adbc.AdbcIngest;
import org.arbalest.device.adbc.AdbcStatement;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures PostgreSQL by Apache's ADBC driver, through {@code device-adbc} and in C, and by its JDBC driver. The tasks
 * are a row by its key, 10,000 rows of values in a transaction, and a scan and an ingest of a million rows. Creates
 * tables in the database of {@code -p uri=postgresql://…}; {@code -p driver=…} is the path of the driver.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(3)
public class PostgreSql {
  private static final String SELECT = "SELECT v FROM keyed WHERE id = $1";
  private static final String SELECT_OF_JDBC = "SELECT v FROM keyed WHERE id = ?";
  private static final long KEYS = 100_000;

  /** The connections. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Server {
    @Param("postgresql://postgres@127.0.0.1:5432/postgres") public String uri;

    @Param("libadbc_driver_postgresql.so") public String driver;

    AdbcDatabase database;
    AdbcConnection connection;
    AdbcStatement select;
    CSession c;
    Connection jdbc;
    PreparedStatement selectOfJdbc;
    final List<List<Object>> rows = new ArrayList<>();
    private long key;

    @Setup
    public void open() throws Throwable {
      database = AdbcDriver.load(Path.of(driver)).open(Map.of("uri", uri));
      connection = database.connect();
      for (String sql : List.of("DROP TABLE IF EXISTS keyed, few, wide, target",
          "CREATE TABLE keyed AS SELECT i AS id, 2 * i AS v FROM generate_series(1::bigint, " + KEYS + ") i",
          "ALTER TABLE keyed ADD PRIMARY KEY (id)", "CREATE TABLE few (a bigint, b bigint)",
          "CREATE TABLE wide AS SELECT i AS a, i % 7 AS b, i * 3 AS c, i::int AS d, (i % 100)::int AS e, "
              + "i * 0.5::float8 AS f, i / 3::float8 AS g, 'name ' || i % 1000 AS h, 'text ' || i AS i, i % 2 = 0 AS j "
              + "FROM generate_series(1::bigint, 1000000) i",
          "CREATE TABLE target (LIKE wide)", "VACUUM ANALYZE"))
        connection.execute(sql);
      select = connection.createStatement();
      select.setSqlQuery(SELECT);
      select.prepare();
      c = CSession.open(Path.of(driver), "AdbcDriverInit", "uri", uri);
      c.prepare(SELECT);
      jdbc = DriverManager.getConnection("jdbc:" + uri.replaceFirst("//([^@]+)@(.*)", "//$2?user=$1"));
      selectOfJdbc = jdbc.prepareStatement(SELECT_OF_JDBC);
      for (long i = 0; i < 10_000; i++) rows.add(List.of(i, 3 * i));
    }

    @TearDown
    public void close() throws Exception {
      select.close();
      connection.execute("DROP TABLE keyed, few, wide, target");
      connection.close();
      database.close();
      jdbc.close();
    }

    long nextKey() {
      key = (key + 7919) % KEYS;
      return key + 1;
    }
  }

  private static long first(RecordBatchReader result) {
    long value = 0;
    try (result) {
      for (RecordBatch batch = result.next(); batch != null; batch = result.next()) {
        value = batch.column(0).getLong(0);
        batch.close();
      }
    }
    return value;
  }

  private static long first(ResultSet result) throws Exception {
    try (result) {
      result.next();
      return result.getLong(1);
    }
  }

  @Benchmark
  public long keyC(Server server) throws Throwable {
    return server.c.prepared(server.nextKey());
  }

  @Benchmark
  public long keyPrepared(Server server) {
    server.select.bindValues(server.nextKey());
    return first(server.select.executeQuery());
  }

  @Benchmark
  public long keyByValue(Server server) {
    return first(server.connection.query(SELECT, server.nextKey()));
  }

  @Benchmark
  public long keyJdbcPrepared(Server server) throws Exception {
    server.selectOfJdbc.setLong(1, server.nextKey());
    return first(server.selectOfJdbc.executeQuery());
  }

  @Benchmark
  public long keyJdbcByValue(Server server) throws Exception {
    try (PreparedStatement statement = server.jdbc.prepareStatement(SELECT_OF_JDBC)) {
      statement.setLong(1, server.nextKey());
      return first(statement.executeQuery());
    }
  }

  @Benchmark
  public long many(Server server) {
    server.connection.setAutoCommit(false);
    long rows = server.connection.executeMany("INSERT INTO few VALUES ($1, $2)", server.rows);
    server.connection.rollback();
    server.connection.setAutoCommit(true);
    return rows;
  }

  @Benchmark
  public long manyJdbc(Server server) throws Exception {
    server.jdbc.setAutoCommit(false);
    long rows = 0;
    try (PreparedStatement statement = server.jdbc.prepareStatement("INSERT INTO few VALUES (?, ?)")) {
      for (List<Object> row : server.rows) {
        statement.setObject(1, row.get(0));
        statement.setObject(2, row.get(1));
        statement.addBatch();
      }
      for (int count : statement.executeBatch()) rows += count;
    }
    server.jdbc.rollback();
    server.jdbc.setAutoCommit(true);
    return rows;
  }

  @Benchmark
  public long scan(Server server) {
    long rows = 0;
    try (RecordBatchReader result = server.connection.query("SELECT * FROM wide")) {
      for (RecordBatch batch = result.next(); batch != null; batch = result.next()) {
        rows += batch.length();
        batch.close();
      }
    }
    return rows;
  }

  /** Reads each value by its own method. */
  @Benchmark
  public long scanJdbc(Server server) throws Exception {
    long sum = 0;
    server.jdbc.setAutoCommit(false); // otherwise the driver reads all rows into memory
    try (Statement statement = server.jdbc.createStatement()) {
      statement.setFetchSize(10_000);
      try (ResultSet row = statement.executeQuery("SELECT * FROM wide")) {
        while (row.next()) {
          sum += row.getLong(1) + row.getLong(2) + row.getLong(3) + row.getInt(4) + row.getInt(5);
          sum += (long) (row.getDouble(6) + row.getDouble(7)) + row.getString(8).length() + row.getString(9).length();
          if (row.getBoolean(10)) sum++;
        }
      }
    }
    server.jdbc.rollback();
    server.jdbc.setAutoCommit(true);
    return sum;
  }

  @Benchmark
  public long ingest(Server server) {
    try (AdbcConnection source = server.database.connect()) {
      server.connection.setAutoCommit(false);
      long rows = server.connection.ingest(AdbcIngest.into("target").with(AdbcIngest.Mode.APPEND),
          source.query("SELECT * FROM wide"));
      server.connection.rollback();
      server.connection.setAutoCommit(true);
      return rows;
    }
  }
}
