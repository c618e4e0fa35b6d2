// SPDX-License-Identifier: Apache-2.0
package org.arbalest.benchmarks;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.AdbcConnection;
import org.arbalest.device.adbc.AdbcDatabase;
import org.arbalest.device.adbc.DuckDbDriver;
import org.duckdb.DuckDBResultSet;
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
 * Measures a DuckDB query whose result of 400,000 rows is drained by {@code device-adbc}, and by a C loop over the same
 * driver. For comparison, DuckDB's JDBC driver returns an Arrow Java stream with batches of the same size, and rows.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(3)
public class AdbcQuery {
  /** A connection through {@code device-adbc}. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Adbc {
    AdbcDatabase database;
    AdbcConnection connection;

    @Setup
    public void open() throws Exception {
      database = DuckDbDriver.open();
      connection = database.connect();
      connection.execute(FlightsTable.create());
    }

    @TearDown
    public void close() {
      connection.close();
      database.close();
    }
  }

  /** A session in C. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class C {
    private CSession session;

    @Setup
    public void open() throws Throwable {
      session = CSession.open(DuckDbDriver.library(), DuckDbDriver.ENTRY_POINT, "path", ":memory:");
      session.query(FlightsTable.create());
    }
  }

  /** A JDBC connection. */
  @State(Scope.Benchmark)
  @SuppressWarnings("NullAway.Init") // JMH calls the @Setup
  public static class Jdbc {
    final BufferAllocator allocator = new RootAllocator();
    Connection connection;
    Statement statement;

    /** The number of rows in the batches of the ADBC result. */
    long batchRows;

    @Setup
    public void open(Adbc adbc) throws Exception {
      connection = DriverManager.getConnection("jdbc:duckdb:");
      statement = connection.createStatement();
      statement.execute(FlightsTable.create());
      try (RecordBatchReader reader = adbc.connection.query(FlightsTable.QUERY); RecordBatch first = reader.next()) {
        batchRows = first == null ? 0 : first.length();
      }
    }

    @TearDown
    public void close() throws Exception {
      statement.close();
      connection.close();
      allocator.close();
    }
  }

  @Benchmark
  public long adbc(Adbc adbc) {
    long rows = 0;
    try (RecordBatchReader reader = adbc.connection.query(FlightsTable.QUERY)) {
      while (true) {
        try (RecordBatch batch = reader.next()) {
          if (batch == null) return rows;
          rows += batch.length();
        }
      }
    }
  }

  @Benchmark
  public long c(C c) throws Throwable {
    return c.session.query(FlightsTable.QUERY);
  }

  @Benchmark
  public long arrowJava(Jdbc jdbc) throws Exception {
    long rows = 0;
    try (ResultSet result = jdbc.statement.executeQuery(FlightsTable.QUERY);
        ArrowReader reader =
            (ArrowReader) result.unwrap(DuckDBResultSet.class).arrowExportStream(jdbc.allocator, jdbc.batchRows)) {
      while (reader.loadNextBatch()) rows += reader.getVectorSchemaRoot().getRowCount();
    }
    return rows;
  }

  /** Reads each value as an object. */
  @Benchmark
  public long resultSet(Jdbc jdbc) throws Exception {
    long values = 0;
    try (ResultSet result = jdbc.statement.executeQuery(FlightsTable.QUERY)) {
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        for (int i = 1; i <= columns; i++) if (result.getObject(i) != null) values++;
      }
    }
    return values;
  }
}
