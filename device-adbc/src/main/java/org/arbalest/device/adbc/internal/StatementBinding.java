// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.c.ArrowArrayStreamStruct;
import org.arbalest.device.c.ArrowArrayStruct;
import org.arbalest.device.c.ArrowSchemaStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The rows that are bound to a statement, as parameters or for an ingestion, until an execution takes them. Methods
 * require the connection lock, except {@link #giveUp}.
 */
final class StatementBinding {
  private final NativeHandle statement;

  /** The source that is bound and was not executed yet. */
  private @Nullable BoundSource bound;

  /** Whether a batch or a source is bound and was not executed yet. */
  private boolean isBound;

  /** The bound columns, if the next execution may have a transaction of the driver. */
  private @Nullable Schema inTransaction;

  /** The driver's transaction of the current execution. */
  private @Nullable DriverTransaction transaction;

  /** Whether the driver begins a transaction for the current ingestion, which may stay open after a failure. */
  private boolean isIngestionInTransaction;

  /** The source of the current execution. The cancelling thread reads it. */
  private volatile @Nullable BoundSource feeding;

  StatementBinding(NativeHandle statement) {
    this.statement = statement;
  }

  /**
   * Passes a batch to the driver.
   *
   * @param table the table of the ingestion, for errors
   * @param sql the query, for errors
   */
  void bind(RecordBatch rows, @Nullable String table, @Nullable String sql) {
    Schema transactional = transactional(rows.schema(), table);
    BoundColumns columns = BoundColumns.of(statement, rows.schema(), table != null);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment array = ArrowArrayStruct.allocate(arena);
      MemorySegment schema = ArrowSchemaStruct.allocate(arena);
      // drivers do not read the validity bitmap of a batch
      try (RecordBatch stored = stored(rows, columns)) {
        CData.exportArray(stored, array, CExport.DATA.schemaTo(schema));
      }
      try {
        statement.driver.call(
            AdbcFunction.STATEMENT_BIND, table, sql,
            (f, error) -> Signatures.pppp(f, statement.struct, array, schema, error));
        bound = null;
        isBound = true;
        inTransaction = transactional;
      } catch (Throwable t) {
        release(ArrowArrayStruct.releaseCallback(array), array);
        throw t;
      } finally {
        release(ArrowSchemaStruct.releaseCallback(schema), schema); // unless the driver has taken it
      }
    }
  }

  private @Nullable Schema transactional(Schema columns, @Nullable String table) {
    return table == null && DriverTransaction.isFor(statement, columns) ? columns : null;
  }

  private static RecordBatch stored(RecordBatch rows, @Nullable BoundColumns columns) {
    RecordBatch pushed = rows.pushDownNulls();
    if (columns == null) return pushed;
    try (pushed) {
      return columns.stored(pushed);
    }
  }

  /** Passes a reader to the driver, which owns it if this method returns; see the overload for a batch. */
  void bind(RecordBatchReader rows, @Nullable String table, @Nullable String sql) {
    Schema transactional = transactional(rows.schema(), table);
    BoundColumns columns = BoundColumns.of(statement, rows.schema(), table != null);
    Schema stored = columns == null ? rows.schema() : columns.schema();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stream = ArrowArrayStreamStruct.allocate(arena);
      var source = new BoundSource(rows, statement, columns);
      try (var reader = RecordBatchReader.of(stored, rows.deviceType(), source)) {
        CData.exportStream(reader, stream, CExport.DATA);
      }
      try {
        statement.driver.call(AdbcFunction.STATEMENT_BIND_STREAM, table, sql,
            (f, error) -> Signatures.ppp(f, statement.struct, stream, error));
      } catch (Throwable t) {
        release(ArrowArrayStreamStruct.releaseCallback(stream), stream);
        throw t;
      }
      bound = source;
      isBound = true;
      inTransaction = transactional;
    }
  }

  /** Calls the release function of a struct that the driver has not taken, if the struct has one. */
  static void release(MemorySegment function, MemorySegment struct) {
    if (function.address() == 0) return;
    try {
      Signatures.release(function, struct);
    } catch (Throwable t) {
      throw Signatures.unexpected(t);
    }
  }

  /** Returns whether the execution has bound rows. */
  boolean isBound() {
    return isBound;
  }

  /** Begins an execution, which uses up the rows; returns its source, if it has one. {@link #executed} ends it. */
  @Nullable
  BoundSource take() {
    BoundSource taken = bound;
    bound = null;
    feeding = taken;
    if (taken != null) taken.take();
    return taken;
  }

  /**
   * Prepares the session for an execution, before {@link #take}.
   *
   * @param isIngestion whether it stores the rows in a table
   */
  void begin(boolean isIngestion) {
    isIngestionInTransaction = isIngestion && DriverTransaction.beginsForIngestion(statement);
    if (inTransaction != null) transaction = DriverTransaction.begin(statement, inTransaction);
    else if (!statement.lock.record.isAutoCommit()) DriverTransaction.refresh(statement);
  }

  /** Returns whether the driver ends its transaction only when all batches of the result are read. */
  boolean isInTransaction() {
    return transaction != null;
  }

  /**
   * Ends an execution.
   *
   * @param isIngestion whether it had to store the rows in a table: PostgreSQL's driver does not end the COPY of a
   *     failed one, whose locks the server keeps
   */
  void executed(boolean hasFailed, boolean isIngestion) {
    feeding = null;
    isBound = false;
    inTransaction = null;
    DriverTransaction of = transaction;
    transaction = null;
    if (!hasFailed) return;
    if (of != null) {
      of.fail();
    } else if (isIngestionInTransaction) {
      boolean _ = DriverTransaction.endLeft(statement.connection());
    } else if (isIngestion) {
      DriverTransaction.refresh(statement);
    }
  }

  /** Requests the source to stop in whose pull the execution waits; returns whether there is one. */
  boolean giveUp() {
    BoundSource current = feeding;
    if (current == null) return false;
    current.giveUp();
    return true;
  }
}
