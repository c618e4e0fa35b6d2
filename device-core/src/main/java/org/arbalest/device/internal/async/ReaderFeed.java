// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.jspecify.annotations.Nullable;

/** The arrays of a pull stream. One array is pulled ahead, so that the end of the stream needs no demand (ASY-12). */
final class ReaderFeed implements Feed {
  /** A marker in place of an array: no more arrays are needed. */
  private static final Object STOPPED = new Object();

  private final RecordBatchReader reader;

  /** The array that was pulled ahead, or STOPPED. */
  private final AtomicReference<@Nullable Object> next = new AtomicReference<>();

  private @Nullable AsyncExport export;
  private boolean finished;
  private @Nullable Throwable failure;

  ReaderFeed(RecordBatchReader reader) {
    this.reader = reader;
  }

  @Override
  public void start(AsyncExport newExport) {
    export = newExport;
  }

  @Override
  public void demand(long total) {}

  @Override
  public boolean isDry() {
    return !finished && next.get() == null;
  }

  @Override
  public void pull() {
    try {
      RecordBatch pulled = reader.next();
      finished = pulled == null;
      if (pulled != null && !next.compareAndSet(null, pulled)) pulled.close();
    } catch (Throwable t) {
      failure = t;
      finished = true;
    }
  }

  @Override
  public @Nullable TaskExport poll() {
    RecordBatch array = (RecordBatch) next.get();
    if (array == null) return null;
    next.set(null);
    return new TaskExport(Objects.requireNonNull(export), array);
  }

  @Override
  public boolean isFinished() {
    return finished && next.get() == null;
  }

  @Override
  public @Nullable Throwable failure() {
    return failure;
  }

  @Override
  public void stop() {
    reader.close(); // does not wait for a pull
  }

  @Override
  public void discard() {
    if (next.getAndSet(STOPPED) instanceof RecordBatch rest) rest.close();
  }
}
