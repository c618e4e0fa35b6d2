// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.Validation;
import org.arbalest.device.async.AsyncArrayStream;
import org.arbalest.device.async.AsyncQuirk;
import org.arbalest.device.async.AsyncSchema;
import org.arbalest.device.async.AsyncTask;
import org.arbalest.device.internal.abi.RawArrowAsyncHandler;
import org.arbalest.device.internal.access.NativeAccess;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * A native producer's stream as a publisher, through the {@link AsyncHandler} that the producer holds. See
 * {@link AsyncArrayStream}.
 */
public final class AsyncArrayStreamImpl implements AsyncArrayStream {
  private final AsyncHandler handler;
  private final Leaks.@Nullable Watch watch;

  private AsyncArrayStreamImpl(AsyncHandler handler) {
    this.handler = handler;
    this.watch = Leaks.isDue() ? Leaks.watch(this, "AsyncArrayStream") : null;
    if (watch != null) watch.opened();
  }

  /** See {@link org.arbalest.device.c.CData#importAsyncStream}. */
  public static AsyncArrayStream connect(Consumer<MemorySegment> start, @Nullable Field expected, Validation level,
      Set<AsyncQuirk> quirks) {
    Objects.requireNonNull(start, "start");
    Objects.requireNonNull(level, "level");
    NativeAccess.require();
    AsyncHandler handler = new AsyncHandler(expected, level, quirks);
    AsyncArrayStream arrays = new AsyncArrayStreamImpl(handler);
    try {
      start.accept(NativeHeap.segment(handler.struct(), RawArrowAsyncHandler.SIZE));
    } catch (Throwable t) {
      arrays.close();
      if (!handler.isTaken()) handler.release();
      throw t;
    }
    return arrays;
  }

  @Override
  public CompletionStage<AsyncSchema> schema() {
    return handler.schema.minimalCompletionStage();
  }

  @Override
  public CompletionStage<Void> released() {
    return handler.released.minimalCompletionStage();
  }

  @Override
  public void subscribe(Flow.Subscriber<? super AsyncTask> subscriber) {
    Objects.requireNonNull(subscriber, "subscriber");
    if (watch != null) watch.closed(this); // from now on, the subscriber owns the stream
    handler.subscription.subscribe(subscriber);
  }

  @Override
  public RecordBatchReader reader(int prefetch) {
    if (prefetch < 1) throw new IllegalArgumentException("prefetch is at least 1, not " + prefetch);
    AsyncSchema schema = awaitSchema();
    AsyncSource source = new AsyncSource(prefetch);
    RecordBatchReader reader = RecordBatchReader.of(schema.schema(), schema.deviceType(), source);
    subscribe(source);
    return reader;
  }

  private AsyncSchema awaitSchema() {
    try {
      return handler.schema.get();
    } catch (ExecutionException e) {
      close();
      throw e.getCause() instanceof DeviceException cause ? cause
          : new DeviceException(Errno.EIO, "the stream has no schema", e.getCause());
    } catch (InterruptedException e) {
      close();
      Thread.currentThread().interrupt();
      throw new DeviceException(Errno.ECANCELED, "interrupted while waiting for the schema", e);
    } catch (CancellationException e) {
      throw new IllegalStateException("the stream was closed", e);
    }
  }

  @Override
  public void close() {
    if (watch != null) watch.closed(this);
    handler.subscription.abandon(new CancellationException("the stream was closed"));
  }
}
