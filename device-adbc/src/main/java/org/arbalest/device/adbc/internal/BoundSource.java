// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatus;
import org.jspecify.annotations.Nullable;

/**
 * The batches that are bound to a statement; the driver pulls them during the execution. This class records the
 * reader's failure: DuckDB treats a failure as the end of the stream, and releases a bound stream long after its last
 * pull.
 */
final class BoundSource implements DeviceArrayReader.Source<RecordBatch> {
  private final RecordBatchReader reader;
  private final NativeHandle statement;
  private final @Nullable BoundColumns columns;

  private final Feeders.Feeding callback;
  private volatile @Nullable Throwable failure;

  /** Whether an execution has taken this source; then the execution closes it. */
  private volatile boolean isTaken;

  // The pulling thread writes isPulling before it reads isGivenUp; the cancelling thread writes isGivenUp before it
  // reads isPulling. So at least one of them sees the other's write.
  private volatile boolean isPulling;
  private volatile boolean isGivenUp;

  /** @param columns the columns that the driver gets in place of those of the reader; null for the same */
  BoundSource(RecordBatchReader reader, NativeHandle statement, @Nullable BoundColumns columns) {
    this.reader = reader;
    this.statement = statement;
    this.columns = columns;
    this.callback = new Feeders.Feeding(statement.lock.feeders);
  }

  @Override
  public @Nullable RecordBatch next() {
    try {
      return fed();
    } catch (RuntimeException | Error e) { // any failure: a driver may treat it as the end
      failure = e;
      throw e;
    }
  }

  private @Nullable RecordBatch fed() {
    callback.begin();
    try {
      isPulling = true;
      return pull();
    } finally {
      isPulling = false;
      callback.end();
    }
  }

  private @Nullable RecordBatch pull() {
    if (isGivenUp) throw cancelled(null);
    RecordBatch batch;
    try {
      batch = reader.next();
    } catch (RuntimeException e) {
      throw isGivenUp ? cancelled(e) : e;
    }
    try (batch) {
      // drivers do not read the validity bitmap of a batch
      if (!isGivenUp) return batch == null ? null : stored(batch);
    }
    throw cancelled(null); // a cancelled reader may return null, which is not its end
  }

  private RecordBatch stored(RecordBatch batch) {
    RecordBatch stored = batch.pushDownNulls();
    if (columns == null) return stored;
    try (RecordBatch pushed = stored) {
      return columns.stored(pushed);
    }
  }

  private AdbcException cancelled(@Nullable RuntimeException by) {
    AdbcException cancelled =
        AdbcException.of(AdbcFunction.STATEMENT_EXECUTE_QUERY.symbol(), AdbcStatus.CANCELLED.code())
            .driver(statement.driver.name())
            .message("it was cancelled, and pulls no more bound batches")
            .build();
    if (by != null) cancelled.addSuppressed(by);
    return cancelled;
  }

  /**
   * Marks this source as taken by the execution that begins. That execution calls {@link #finish} after it has released
   * the connection lock: closing the reader may wait for another connection, whose execution may pull from this one.
   */
  void take() {
    isTaken = true;
  }

  /**
   * Closes the reader, after the connection lock is released, and after the other releases of this thread. A driver may
   * release the stream earlier or much later.
   */
  void finish() {
    if (statement.lock.isHeldHere() || statement.lock.deferred.areRunHere()) {
      statement.lock.deferred.close(reader::close);
    } else {
      reader.close();
    }
  }

  /** Ends the execution's pulls: the current pull is cancelled, and no pull follows. Does not wait. */
  void giveUp() {
    isGivenUp = true;
    if (isPulling) reader.close();
  }

  boolean hasFailed() {
    return failure != null;
  }

  /** Throws the reader's failure, if it failed, with its consequence as suppressed. */
  void throwFailure(@Nullable AdbcException consequence) {
    Throwable failed = failure;
    if (failed == null) return;
    if (consequence != null && consequence != failed) failed.addSuppressed(consequence);
    if (failed instanceof Error e) throw e;
    throw (RuntimeException) failed;
  }

  @Override
  public void cancel() {
    reader.close();
  }

  @Override
  public void close() {
    if (!isTaken) statement.lock.deferred.close(reader::close);
  }
}
