// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.adbc.AdbcException;
import org.jspecify.annotations.Nullable;

/**
 * Batches that are bound to a statement, pulled by its driver while it executes. What the reader fails with is remembered: DuckDB takes a failure for the end, and releases what is bound long after it was used up.
 */
final class BoundSource implements DeviceArrayReader.Source {
  private final DeviceArrayReader reader;
  private final Turn turn;
  private volatile @Nullable Throwable failure;

  BoundSource(DeviceArrayReader reader, Turn turn) {
    this.reader = reader;
    this.turn = turn;
  }

  @Override
  public @Nullable DeviceArray next() {
    Turn before = turn.feeds();
    try {
      return reader.next();
    } catch (RuntimeException | Error e) {
      failure = e;
      throw e;
    } finally {
      turn.fed(before);
    }
  }

  /** Throws what the reader failed with, if it did; with what came of it. */
  void throwFailure(@Nullable AdbcException consequence) {
    Throwable failed = failure;
    if (failed == null) return;
    if (consequence != null) failed.addSuppressed(consequence);
    if (failed instanceof Error e) throw e;
    throw (RuntimeException) failed;
  }

  @Override
  public void cancel() {
    reader.close();
  }

  @Override
  public void close() {
    reader.close();
  }
}
