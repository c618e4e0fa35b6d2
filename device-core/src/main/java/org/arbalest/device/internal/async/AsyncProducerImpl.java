// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.async.AsyncProducer;
import org.arbalest.device.async.AsyncQuirk;
import org.arbalest.device.async.AsyncSchema;
import org.arbalest.device.async.AsyncTask;
import org.arbalest.device.internal.abi.RawArrowAsyncHandler;
import org.arbalest.device.internal.memory.Structs;
import org.arbalest.device.internal.stream.RecordBatchReaderImpl;
import org.arbalest.device.types.Metadata;

/** The description from which an {@link AsyncExport} is made once. See {@link AsyncProducer}. */
public final class AsyncProducerImpl implements AsyncProducer {
  /** Starts a stream that calls a handler; see {@link org.arbalest.device.c.CData#exportAsyncStream}. */
  private interface Driving {
    CompletionStage<Void> start(long handler, Executor executor, Set<AsyncQuirk> quirks);
  }

  private final Driving driving;
  private final AtomicBoolean isExported = new AtomicBoolean();

  private AsyncProducerImpl(Driving driving) {
    this.driving = driving;
  }

  private static AsyncProducer of(AsyncSchema schema, Supplier<Feed> feed) {
    Objects.requireNonNull(schema, "schema");
    return new AsyncProducerImpl(
        (handler, executor, quirks) -> AsyncExport.start(handler, schema, feed.get(), executor, quirks));
  }

  /** Creates a producer of a publisher's arrays. */
  public static AsyncProducer of(AsyncSchema schema, Flow.Publisher<RecordBatch> arrays) {
    Objects.requireNonNull(arrays, "arrays");
    return of(schema, () -> new PublisherFeed<>(arrays));
  }

  /** Creates a producer of a publisher's tasks. */
  public static AsyncProducer ofTasks(AsyncSchema schema, Flow.Publisher<AsyncTask> tasks) {
    Objects.requireNonNull(tasks, "tasks");
    return of(schema, () -> new PublisherFeed<>(tasks));
  }

  /** Creates a producer of a reader's arrays. */
  public static AsyncProducer of(RecordBatchReader reader, Metadata metadata) {
    return of(new AsyncSchema(reader.schema(), reader.deviceType(), metadata),
        () -> new ReaderFeed(RecordBatchReaderImpl.exported(reader)));
  }

  /** Creates a producer that passes an error to the consumer, instead of a schema. */
  public static AsyncProducer failed(Throwable why) {
    Objects.requireNonNull(why, "why");
    return new AsyncProducerImpl((handler, _, _) -> {
      new ForeignHandler(handler).refuse(why);
      return CompletableFuture.<Void>failedFuture(why).minimalCompletionStage();
    });
  }

  /** See {@link org.arbalest.device.c.CData#exportAsyncStream}. */
  public static CompletionStage<Void> export(AsyncProducer producer, MemorySegment handler, Executor executor,
      Set<AsyncQuirk> quirks) {
    AsyncProducerImpl made = switch (producer) {
      case AsyncProducerImpl impl -> impl;
    };
    try {
      long struct = checked(Structs.address(handler, "ArrowAsyncDeviceStreamHandler", RawArrowAsyncHandler.SIZE));
      if (made.isExported.getAndSet(true))
        throw new IllegalStateException("this producer was already exported: create one for each handler");
      CompletionStage<Void> released = made.driving.start(struct, executor, quirks);
      // keeps the handler reachable until then, because the stream has only its address
      var _ = released.whenComplete((_, _) -> Objects.requireNonNull(handler));
      return released;
    } finally {
      Reference.reachabilityFence(handler);
    }
  }

  private static long checked(long struct) {
    if (RawArrowAsyncHandler.release(struct) == 0)
      throw new IllegalArgumentException("the handler was released before it was passed");
    if (RawArrowAsyncHandler.onSchema(struct) == 0
        || RawArrowAsyncHandler.onNextTask(struct) == 0
        || RawArrowAsyncHandler.onError(struct) == 0) {
      throw new IllegalArgumentException("the handler's on_schema, on_next_task or on_error is NULL");
    }
    return struct;
  }
}
