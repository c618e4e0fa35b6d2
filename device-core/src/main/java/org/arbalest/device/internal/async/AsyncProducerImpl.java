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
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.async.AsyncProducer;
import org.arbalest.device.async.AsyncQuirk;
import org.arbalest.device.async.AsyncSchema;
import org.arbalest.device.async.AsyncTask;
import org.arbalest.device.c.ArrowAsyncHandlerStruct;
import org.arbalest.device.internal.abi.RawArrowAsyncHandler;
import org.arbalest.device.internal.memory.Structs;
import org.arbalest.device.types.Metadata;
import org.jspecify.annotations.Nullable;

/** What an {@link AsyncExport} is to be made of. See {@link AsyncProducer}. */
public final class AsyncProducerImpl implements AsyncProducer {
  private final @Nullable AsyncSchema schema;
  private final @Nullable Supplier<Feed> feed;
  private final @Nullable Throwable failure;
  private final AtomicBoolean isExported = new AtomicBoolean();

  private AsyncProducerImpl(@Nullable AsyncSchema schema, @Nullable Supplier<Feed> feed, @Nullable Throwable failure) {
    this.schema = schema;
    this.feed = feed;
    this.failure = failure;
  }

  public static AsyncProducer of(AsyncSchema schema, Flow.Publisher<DeviceArray> arrays) {
    Objects.requireNonNull(arrays, "arrays");
    return new AsyncProducerImpl(Objects.requireNonNull(schema, "schema"), () -> new PublisherFeed<>(arrays), null);
  }

  public static AsyncProducer ofTasks(AsyncSchema schema, Flow.Publisher<AsyncTask> tasks) {
    Objects.requireNonNull(tasks, "tasks");
    return new AsyncProducerImpl(Objects.requireNonNull(schema, "schema"), () -> new PublisherFeed<>(tasks), null);
  }

  public static AsyncProducer of(DeviceArrayReader reader, Metadata metadata) {
    return new AsyncProducerImpl(new AsyncSchema(reader.field(), reader.deviceType(), metadata), () -> new ReaderFeed(reader), null);
  }

  public static AsyncProducer failed(Throwable why) {
    return new AsyncProducerImpl(null, null, Objects.requireNonNull(why, "why"));
  }

  /** See {@link org.arbalest.device.c.CData#exportAsyncStream}. */
  public static CompletionStage<Void> export(AsyncProducer producer, MemorySegment handler, Executor executor, Set<AsyncQuirk> quirks) {
    AsyncProducerImpl made = switch (producer) {
      case AsyncProducerImpl impl -> impl;
    };
    try {
      return made.export(handler, checked(Structs.address(handler, ArrowAsyncHandlerStruct.LAYOUT)), executor, quirks);
    } finally {
      Reference.reachabilityFence(handler);
    }
  }

  private CompletionStage<Void> export(MemorySegment handler, long struct, Executor executor, Set<AsyncQuirk> quirks) {
    if (isExported.getAndSet(true)) throw new IllegalStateException("this producer was exported before: make one for each handler");
    if (failure != null || schema == null || feed == null) {
      Throwable why = Objects.requireNonNull(failure);
      new ForeignHandler(struct).refuse(why);
      return CompletableFuture.<Void>failedFuture(why).minimalCompletionStage();
    }
    CompletionStage<Void> released = AsyncExport.start(struct, schema, feed.get(), executor, quirks);
    var _ = released.whenComplete((_, _) -> Objects.requireNonNull(handler)); // refers to it until then: the stream has its address only
    return released;
  }

  private static long checked(long struct) {
    if (RawArrowAsyncHandler.release(struct) == 0) throw new IllegalArgumentException("the handler was released before it was given");
    if (RawArrowAsyncHandler.onSchema(struct) == 0
        || RawArrowAsyncHandler.onNextTask(struct) == 0
        || RawArrowAsyncHandler.onError(struct) == 0) {
      throw new IllegalArgumentException("the handler's on_schema, on_next_task or on_error is NULL");
    }
    return struct;
  }
}
