// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatus;
import org.jspecify.annotations.Nullable;

/**
 * Batches that are bound to a statement, pulled by its driver while it executes. What the reader fails with is
 * remembered: DuckDB takes a failure for the end, and releases what is bound long after it was used up.
 */
final class BoundSource implements DeviceArrayReader.Source {
  private final DeviceArrayReader reader;
  private final NativeHandle statement;
  private final ConnectionLock.Feeding callback;
  private volatile @Nullable Throwable failure;

  /** Whether an execution has it, which closes it. */
  private volatile boolean isTaken;

  // Each is written before the other is read, by who pulls and by who wants it to end: one of them sees the other.
  private volatile boolean isPulling;
  private volatile boolean isGivenUp;

  BoundSource(DeviceArrayReader reader, NativeHandle statement) {
    this.reader = reader;
    this.statement = statement;
    this.callback = new ConnectionLock.Feeding(statement.lock);
  }

  @Override
  public @Nullable DeviceArray next() {
    try {
      return fed();
    } catch (RuntimeException | Error e) { // whatever it is of: a driver may take it for the end
      failure = e;
      throw e;
    }
  }

  private @Nullable DeviceArray fed() {
    callback.begin();
    try {
      isPulling = true;
      return pull();
    } finally {
      isPulling = false;
      callback.end();
    }
  }

  private @Nullable DeviceArray pull() {
    if (isGivenUp) throw cancelled(null);
    DeviceArray batch;
    try {
      batch = reader.next();
    } catch (RuntimeException e) {
      throw isGivenUp ? cancelled(e) : e;
    }
    try (batch) {
      if (!isGivenUp) return batch == null ? null : batch.pushDownNulls(); // drivers read no bitmap of a batch
    }
    throw cancelled(null); // no batch may be how the reader gave up, and no end
  }

  private AdbcException cancelled(@Nullable RuntimeException by) {
    AdbcException cancelled =
        AdbcException.of(AdbcFunction.STATEMENT_EXECUTE_QUERY.symbol(), AdbcStatus.CANCELLED.code())
            .driver(statement.driver.name())
            .message("it was cancelled, and pulls no more of what is bound")
            .build();
    if (by != null) cancelled.addSuppressed(by);
    return cancelled;
  }

  /**
   * It is for the execution that begins, which calls {@link #finish} when it has left the turn: closing the reader may
   * wait for another connection, which may be fed by this one.
   */
  void take() {
    isTaken = true;
  }

  /**
   * Closes the reader, behind the turn, and behind what else this thread releases; a driver may release it before, or
   * much later.
   */
  void finish() {
    if (statement.lock.isHeldHere() || statement.lock.isReleasingHere()) {
      statement.lock.closeBehind(reader::close);
    } else {
      reader.close();
    }
  }

  /** The execution is to end: a pull that waits is given up, and there is none after it. Does not wait. */
  void giveUp() {
    isGivenUp = true;
    if (isPulling) reader.close();
  }

  boolean hasFailed() {
    return failure != null;
  }

  /** Throws what the reader failed with, if it did; with what came of it. */
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
    if (!isTaken) statement.lock.closeBehind(reader::close);
  }
}
