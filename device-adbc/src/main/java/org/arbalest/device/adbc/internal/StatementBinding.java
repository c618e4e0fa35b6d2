// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.c.ArrowArrayStreamStruct;
import org.arbalest.device.c.ArrowArrayStruct;
import org.arbalest.device.c.ArrowSchemaStruct;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CExport;
import org.arbalest.device.types.Field;
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

  /** Whether the next execution may begin a transaction of the driver. */
  private boolean mayBegin;

  /** The transaction that the driver may have begun for the current execution. */
  private @Nullable DriverTransaction transaction;

  /** The source of the current execution. The cancelling thread reads it. */
  private volatile @Nullable BoundSource feeding;

  StatementBinding(NativeHandle statement) {
    this.statement = statement;
  }

  /**
   * Passes a batch to the driver.
   *
   * @param as the schema that the driver gets: the batch's, or one of the same layout
   * @param table the table of the ingestion, for errors
   * @param sql the query, for errors
   */
  void bind(DeviceArray rows, Schema as, @Nullable String table, @Nullable String sql) {
    boolean begins = table == null && DriverTransaction.mayBegin(statement, as);
    if (begins && rows.length() > 1) {
      bindRows(rows, sql);
      return;
    }
    BoundColumns columns = BoundColumns.of(statement, as, table != null);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment array = ArrowArrayStruct.allocate(arena);
      MemorySegment schema = ArrowSchemaStruct.allocate(arena);
      // drivers do not read the validity bitmap of a batch
      try (DeviceArray pushed = rows.pushDownNulls();
          DeviceArray stored = columns == null ? pushed.retain() : columns.stored(pushed)) {
        CData.exportArray(stored, array, CExport.DATA);
        CData.exportSchema((columns == null ? as : columns.schema()).asField(), schema);
      } catch (Throwable t) {
        release(ArrowArrayStruct.releaseCallback(array), array);
        throw t;
      }
      try {
        statement.driver.call(
            AdbcFunction.STATEMENT_BIND, table, sql,
            (f, error) -> Signatures.pppp(f, statement.struct, array, schema, error));
        bound = null;
        isBound = true;
        mayBegin = begins;
      } catch (Throwable t) {
        release(ArrowArrayStruct.releaseCallback(array), array);
        throw t;
      } finally {
        release(ArrowSchemaStruct.releaseCallback(schema), schema); // unless the driver has taken it
      }
    }
  }

  /** Passes the rows of a batch to the driver one by one, so that it can find their end after each. */
  private void bindRows(DeviceArray rows, @Nullable String sql) {
    var reader = DeviceArrayReader.of(rows.schema(), List.of(rows.retain()));
    boolean isTaken = false;
    try {
      bind(reader, null, sql);
      isTaken = true;
    } finally {
      if (!isTaken) reader.close();
    }
  }

  /** Passes a reader to the driver, which owns it if this method returns; see the overload for a batch. */
  void bind(DeviceArrayReader rows, @Nullable String table, @Nullable String sql) {
    boolean begins = table == null && DriverTransaction.mayBegin(statement, rows.schema());
    BoundColumns columns = BoundColumns.of(statement, rows.schema(), table != null);
    Field field = columns == null ? rows.field() : columns.schema().asField();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment stream = ArrowArrayStreamStruct.allocate(arena);
      var source = new BoundSource(rows, statement, columns, begins);
      try (var reader = DeviceArrayReader.of(field, rows.deviceType(), source)) {
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
      mayBegin = begins;
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
    transaction = mayBegin ? DriverTransaction.begin(statement) : null;
    BoundSource taken = bound;
    bound = null;
    feeding = taken;
    if (taken != null) taken.take();
    return taken;
  }

  /** Returns the transaction that the driver may have begun for the current execution. */
  @Nullable
  DriverTransaction transaction() {
    return transaction;
  }

  /** @param isOpen whether a result goes on with the execution, and ends its transaction */
  void executed(boolean isOpen) {
    feeding = null;
    isBound = false;
    mayBegin = false;
    if (transaction != null && !isOpen) transaction.end();
    transaction = null;
  }

  /** Requests the source to stop in whose pull the execution waits; returns whether there is one. */
  boolean giveUp() {
    BoundSource current = feeding;
    if (current == null) return false;
    current.giveUp();
    return true;
  }
}
