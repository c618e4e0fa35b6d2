// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcPool;
import org.arbalest.device.adbc.AdbcStatement;
import org.arbalest.device.adbc.DuckDbDriver;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures parameters by value in DuckDB: a row looked up by its key, and 100 rows inserted and rolled back, by {@code
 * device-adbc} and by DuckDB's JDBC driver, with a new statement per call and with a prepared one.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class AdbcParameters {
  private static final String CREATE =
      "CREATE TABLE t AS SELECT i AS id, 'name ' || i AS name FROM range(100000) r(i); CREATE INDEX i ON t (id)";
  private static final String SELECT = "SELECT name FROM t WHERE id = ?";
  private static final String INSERT = "INSERT INTO u VALUES (?, ?)";

  /** A key, and 100 rows. */
  @State(Scope.Benchmark)
  public static class Values {
    final List<List<Object>> rows = new ArrayList<>();
    private long key;

    @Setup
    public void fill() {
      for (long i = 0; i < 100; i++) rows.add(List.of(i, "name " + i));
    }

    long nextKey() {
      key = (key + 7919) % 100_000;
      return key;
    }
  }

  /** A pool, a connection of it and a prepared statement. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Adbc {
    AdbcPool pool;
    AdbcPool.Lease lease;
    AdbcConnection connection;
    AdbcStatement select;

    @Setup
    public void open() throws Exception {
      pool = AdbcPool.of(DuckDbDriver.open(), 2, Duration.ofSeconds(5));
      lease = pool.acquire();
      connection = lease.connection();
      connection.execute(CREATE);
      connection.execute("CREATE TABLE u (id BIGINT, name VARCHAR)");
      select = connection.createStatement();
      select.setSqlQuery(SELECT);
      select.prepare();
    }

    @TearDown
    public void close() {
      select.close();
      lease.close();
      pool.close();
    }
  }

  /** A JDBC connection and prepared statements. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Jdbc {
    Connection connection;
    PreparedStatement select;

    @Setup
    public void open() throws Exception {
      connection = DriverManager.getConnection("jdbc:duckdb:");
      try (Statement statement = connection.createStatement()) {
        statement.execute(CREATE);
        statement.execute("CREATE TABLE u (id BIGINT, name VARCHAR)");
      }
      select = connection.prepareStatement(SELECT);
    }

    @TearDown
    public void close() throws Exception {
      select.close();
      connection.close();
    }
  }

  private static int length(RecordBatchReader result) {
    try (result; RecordBatch batch = result.next()) {
      return Objects.requireNonNull(batch).column("name").getString(0).length();
    }
  }

  private static int length(ResultSet result) throws Exception {
    try (result) {
      result.next();
      return result.getString(1).length();
    }
  }

  @Benchmark
  public int query(Adbc adbc, Values values) {
    return length(adbc.connection.query(SELECT, values.nextKey()));
  }

  @Benchmark
  public int queryPrepared(Adbc adbc, Values values) {
    adbc.select.bindValues(values.nextKey());
    return length(adbc.select.executeQuery());
  }

  /** A connection borrowed for the query; the pool does not test it, because it was used shortly before. */
  @Benchmark
  public int queryPooled(Adbc adbc, Values values) throws Exception {
    try (AdbcPool.Lease lease = adbc.pool.acquire()) {
      return length(lease.connection().query(SELECT, values.nextKey()));
    }
  }

  @Benchmark
  public int queryJdbc(Jdbc jdbc, Values values) throws Exception {
    try (PreparedStatement statement = jdbc.connection.prepareStatement(SELECT)) {
      statement.setLong(1, values.nextKey());
      return length(statement.executeQuery());
    }
  }

  @Benchmark
  public int queryJdbcPrepared(Jdbc jdbc, Values values) throws Exception {
    jdbc.select.setLong(1, values.nextKey());
    return length(jdbc.select.executeQuery());
  }

  @Benchmark
  public long insert(Adbc adbc, Values values) {
    adbc.connection.setAutoCommit(false);
    long rows = adbc.connection.executeMany(INSERT, values.rows);
    adbc.connection.rollback();
    adbc.connection.setAutoCommit(true);
    return rows;
  }

  @Benchmark
  public long insertJdbc(Jdbc jdbc, Values values) throws Exception {
    jdbc.connection.setAutoCommit(false);
    long rows = 0;
    try (PreparedStatement statement = jdbc.connection.prepareStatement(INSERT)) {
      for (List<Object> row : values.rows) {
        statement.setObject(1, row.get(0));
        statement.setObject(2, row.get(1));
        statement.addBatch();
      }
      for (int count : statement.executeBatch()) rows += count;
    }
    jdbc.connection.rollback();
    jdbc.connection.setAutoCommit(true);
    return rows;
  }
}
