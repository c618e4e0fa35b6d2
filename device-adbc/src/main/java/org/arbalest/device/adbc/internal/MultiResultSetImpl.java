// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.Validation;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcMultiResultSet;
import org.arbalest.device.adbc.AdbcPartitions;
import org.arbalest.device.c.ArrowSchemaStruct;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The implementation of {@link AdbcMultiResultSet}. It has a reference to the driver's result set, and so has each open
 * result; the result set has one to its statement. The last of them releases it.
 */
public final class MultiResultSetImpl implements AdbcMultiResultSet, LeasedObjects.Leased {
  private final NativeHandle statement;
  private final NativeHandle results;
  private final @Nullable String sql;
  private final boolean isBound;
  private final @Nullable BoundSource bound;
  private volatile long affectedRows = -1;

  /** Whether a call for the next result runs, which may pull from the bound reader. The cancelling thread reads it. */
  private volatile boolean isCalling;

  // Guarded by the connection lock, except for the thread that cancels, which reads the current result.
  private volatile @Nullable ResultSource current;
  private boolean isOver;

  /** The change of the statement that ended this. */
  private @Nullable AdbcFunction endedBy;

  private MultiResultSetImpl(NativeHandle statement, NativeHandle results, @Nullable String sql, boolean isBound,
      @Nullable BoundSource bound) {
    this.statement = statement;
    this.results = results;
    this.sql = sql;
    this.isBound = isBound;
    this.bound = bound;
  }

  /**
   * Executes. Requires the connection lock.
   *
   * @param function the function that creates the result set
   * @param bound the bound source, which is finished when all results have ended
   */
  static MultiResultSetImpl execute(NativeHandle statement, AdbcFunction function, @Nullable String sql,
      boolean isBound, @Nullable BoundSource bound) {
    NativeHandle results = NativeHandle.open(NativeHandle.Kind.RESULT_SET, statement.driver, statement.lock, statement,
        new NativeHandle.Opening() {
          @Override
          public void make(NativeHandle made) {
            statement.execute(function, null, sql,
                (f, error) -> Signatures.ppp(f, statement.struct, made.struct, error));
          }

          @Override
          public void finish(NativeHandle made) {}
        });
    var made = new MultiResultSetImpl(statement, results, sql, isBound, bound);
    statement.lock.leased.opened(made);
    return made;
  }

  @Override
  public @Nullable RecordBatchReader next() {
    ResultSource opened = locked(AdbcFunction.MULTI_RESULT_SET_NEXT, this::open);
    return opened == null ? null : opened.reader();
  }

  private @Nullable ResultSource open() {
    var opening = new ResultSource.Opening(statement, results, AdbcFunction.STATEMENT_CANCEL, sql, isBound, true, bound,
        Validation.STRUCTURAL);
    ResultSource opened = ResultSource.open(opening, block -> {
      call(AdbcFunction.MULTI_RESULT_SET_NEXT, block.number, (f, error) -> Signatures.pppp(f,
          results.struct, block.stream, block.number, error));
    });
    current = opened;
    if (bound != null && bound.hasFailed()) {
      endCurrent(AdbcFunction.MULTI_RESULT_SET_NEXT); // the driver may have taken the failure for the end of the rows
      bound.throwFailure(null);
    }
    return opened;
  }

  private void call(AdbcFunction function, MemorySegment rows, DriverTable.Call call) {
    affectedRows = -1;
    rows.set(JAVA_LONG, 0, -1L);
    statement.execute(function, null, sql, call);
    affectedRows = rows.get(JAVA_LONG, 0);
  }

  @Override
  public @Nullable AdbcPartitions nextPartitions() {
    return locked(AdbcFunction.MULTI_RESULT_SET_NEXT_PARTITIONS, this::partitions);
  }

  private @Nullable AdbcPartitions partitions() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment schema = ArrowSchemaStruct.allocate(arena);
      MemorySegment partitions = arena.allocate(PartitionsStruct.LAYOUT);
      MemorySegment rows = arena.allocate(JAVA_LONG);
      try {
        call(AdbcFunction.MULTI_RESULT_SET_NEXT_PARTITIONS, rows, (f, error) -> Signatures.ppppp(f,
            results.struct, schema, partitions, rows, error));
        if (bound != null) bound.throwFailure(null);
        if (!PartitionsStruct.isFilled(partitions)) return null;
        Schema type =
            ArrowSchemaStruct.releaseCallback(schema).address() == 0 ? null : DriverSchemas.importSchema(schema);
        return new AdbcPartitions(type, PartitionsStruct.read(partitions), affectedRows);
      } finally {
        StatementBinding.release(ArrowSchemaStruct.releaseCallback(schema), schema);
        PartitionsStruct.release(partitions);
      }
    }
  }

  /** Returns the schemas of all results, and ends them. */
  List<Schema> schemas() {
    try (this) {
      List<Schema> all = new ArrayList<>();
      for (RecordBatchReader next = next(); next != null; next = next()) {
        try (RecordBatchReader result = next) {
          all.add(result.schema());
        }
      }
      return all;
    }
  }

  @Override
  public long affectedRows() {
    return affectedRows;
  }

  /** Calls the driver under the connection lock, after the end of the current result. */
  private <T> @Nullable T locked(AdbcFunction function, Supplier<@Nullable T> call) {
    if (statement.lock.feeders.includeThisThread()) throw new IllegalStateException(
        "these are results of the connection that is executing with the batches that are produced here; read them "
            + "before or after");
    statement.acquireLock(null, true);
    try {
      if (isOver) throw new IllegalStateException("the results have ended, because " + (endedBy == null
          ? "they were closed" : endedBy.symbol() + " changed their statement. Use a separate statement"));
      endCurrent(function);
      isCalling = true;
      return call.get();
    } catch (AdbcException e) { // the driver's error may be a consequence of the bound reader's
      if (bound != null) bound.throwFailure(e);
      throw e;
    } finally {
      isCalling = false;
      statement.lock.leave();
    }
  }

  private void endCurrent(AdbcFunction by) {
    ResultSource before = current;
    current = null;
    if (before != null) before.endBy(by);
  }

  /** Requests the bound reader to stop, if a call or a pull may wait for it; returns whether one may. */
  boolean giveUpBound() {
    if (bound != null && isCalling) {
      bound.giveUp();
      return true;
    }
    ResultSource pulled = current;
    return pulled != null && pulled.giveUpBound();
  }

  @Override
  public void close() {
    end(null);
  }

  @Override
  public void endLease() {
    end(null);
  }

  /** Ends all results, because of a change of the statement, or because they are closed. */
  void end(@Nullable AdbcFunction by) {
    if (!statement.lock.takeOr(statement, () -> end(by))) return;
    boolean isFirst = !isOver;
    isOver = true;
    try {
      try {
        if (isFirst) {
          endedBy = by;
          endCurrent(by == null ? AdbcFunction.MULTI_RESULT_SET_RELEASE : by);
        }
      } finally {
        statement.lock.leave();
      }
    } finally {
      if (isFirst) {
        statement.lock.leased.closed(this);
        leaveResults();
      }
    }
  }

  private void leaveResults() {
    try {
      if (bound != null) bound.finish();
    } finally {
      results.leave();
    }
  }
}
