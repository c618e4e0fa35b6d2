// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.adbc;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceArrayReader;

/** A statement of a connection: runs queries, one after another, and takes streams in as tables. */
public final class AdbcStatement extends AdbcHandle {
  /** What {@link #ingest(String, IngestMode, MemorySegment)} does about the table. */
  public enum IngestMode {
    /** Create it; fail if it exists. */
    CREATE("create"),
    /** Insert into it; fail if it does not exist. */
    APPEND("append"),
    /** Drop it if it exists, then create it. */
    REPLACE("replace"),
    /** Insert into it; create it first if it does not exist. */
    CREATE_APPEND("create_append");

    final String option;

    IngestMode(String suffix) {
      option = "adbc.ingest.mode." + suffix;
    }
  }

  private AdbcStatement(AdbcConnection connection, MemorySegment struct) {
    super(
        "statement",
        connection.driver,
        struct,
        AdbcFunction.STATEMENT_SET_OPTION,
        AdbcFunction.STATEMENT_RELEASE,
        connection);
  }

  /** Called while the connection's monitor is held. */
  static AdbcStatement open(AdbcConnection connection) {
    MemorySegment struct = connection.driver.newHandle();
    connection.driver.call(AdbcFunction.STATEMENT_NEW, connection.struct, struct);
    return new AdbcStatement(connection, struct);
  }

  /**
   * Runs a query whose result is pulled from a C stream.
   *
   * <p>The stream is the caller's to release, its arrays each for themselves. DuckDB computes it while it is pulled,
   * some 10 MiB ahead, and lets it outlive statement, connection and database; other drivers may want it released
   * before the statement runs anything else or is closed. Another query on the same connection makes DuckDB hold all
   * that is left of this one in memory. A failure in a later row is reported by the stream, not here.
   *
   * @param streamOut 40 bytes, 8-byte aligned, overwritten: an {@code ArrowArrayStream}; all zero if this throws
   * @return the rows affected, -1 if the driver does not know
   */
  public synchronized long query(String sql, MemorySegment streamOut) {
    checkOpen();
    MemorySegment out = ArrowStream.of(streamOut);
    out.fill((byte) 0);
    try (Arena arena = Arena.ofConfined()) {
      driver.call(AdbcFunction.STATEMENT_SET_SQL_QUERY, struct, arena.allocateFrom(sql));
    }
    try {
      return execute(out);
    } catch (AdbcException e) {
      out.fill((byte) 0); // whatever a failing driver left there
      throw e;
    }
  }

  /**
   * Runs a query; see {@link #query(String, MemorySegment)}.
   *
   * @return the result, which the caller closes; its arrays, each for themselves
   */
  public DeviceArrayReader query(String sql) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stream = arena.allocate(ArrowStream.LAYOUT);
      query(sql, stream);
      return DeviceArrayReader.importStream(stream);
    }
  }

  /**
   * Runs a statement to its end and drops what it returns, batch by batch.
   *
   * @return the rows affected, -1 if the driver does not know
   * @throws AdbcException also if a later row fails
   */
  public synchronized long execute(String sql) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stream = arena.allocate(ArrowStream.LAYOUT);
      long rows = query(sql, stream);
      try {
        ArrowStream.drain(stream);
      } finally {
        ArrowStream.release(stream);
      }
      return rows;
    }
  }

  /** Creates a table from a stream: {@link #ingest(String, IngestMode, MemorySegment)} with {@code CREATE}. */
  public long ingest(String table, MemorySegment stream) {
    return ingest(table, IngestMode.CREATE, stream);
  }

  /**
   * Reads a C stream to its end into a table.
   *
   * <p>The stream is taken over ({@code release} becomes NULL in the caller's struct) and has been released when this
   * returns or throws. Only an {@code IllegalArgumentException} or {@code IllegalStateException} leaves it with the
   * caller. Its callbacks run during this call, perhaps on threads of the driver (DuckDB: on the calling thread).
   *
   * <p>A failure of the stream itself is thrown even if the driver ignores it, as DuckDB does: that stores the rows
   * before the failure and reports success. To be rid of them, ingest between {@code BEGIN} and {@code ROLLBACK}.
   *
   * @param stream a live {@code ArrowArrayStream} of struct arrays, one child per column
   * @return the rows stored, -1 if the driver does not know
   */
  public synchronized long ingest(String table, IngestMode mode, MemorySegment stream) {
    checkOpen();
    try (WatchedStream watched = WatchedStream.takeOver(ArrowStream.of(stream))) {
      long rows;
      try {
        setOption("adbc.ingest.target_table", table);
        setOption("adbc.ingest.mode", mode.option);
        driver.call(AdbcFunction.STATEMENT_BIND_STREAM, table, struct, watched.struct());
        rows = execute(MemorySegment.NULL);
      } catch (AdbcException e) {
        watched.throwFailure(); // the cause, of which the driver's error is a consequence
        throw e;
      }
      watched.throwFailure();
      return rows;
    }
  }

  /**
   * Creates a table from record batches; see {@link #ingest(String, MemorySegment)}.
   *
   * @param batches spent, and closed when this returns or throws
   * @return the rows stored, -1 if the driver does not know
   */
  public long ingest(String table, DeviceArrayReader batches) {
    return ingest(table, IngestMode.CREATE, batches);
  }

  /** Reads record batches to their end into a table; see {@link #ingest(String, IngestMode, MemorySegment)}. */
  public long ingest(String table, IngestMode mode, DeviceArrayReader batches) {
    try (batches;
        Arena arena = Arena.ofConfined()) {
      MemorySegment stream = arena.allocate(ArrowStream.LAYOUT);
      batches.exportStream(stream);
      try {
        return ingest(table, mode, stream);
      } finally {
        ArrowStream.release(stream);
      }
    }
  }

  private long execute(MemorySegment streamOut) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment rows = arena.allocateFrom(JAVA_LONG, -1L);
      driver.call(AdbcFunction.STATEMENT_EXECUTE_QUERY, struct, streamOut, rows);
      return rows.get(JAVA_LONG, 0);
    }
  }
}
