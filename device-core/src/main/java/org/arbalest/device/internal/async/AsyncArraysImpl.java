package org.arbalest.device.internal.async;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.arbalest.device.AsyncArrays;
import org.arbalest.device.AsyncQuirk;
import org.arbalest.device.AsyncSchema;
import org.arbalest.device.AsyncTask;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Metadata;
import org.arbalest.device.abi.ArrowAsyncHandlerStruct;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Structs;
import org.jspecify.annotations.Nullable;

/** A C producer's stream as a publisher, through the {@link AsyncHandler} that the producer holds. See {@link AsyncArrays}. */
public final class AsyncArraysImpl implements AsyncArrays {
  private final AsyncHandler handler;
  private final Leaks.@Nullable Watch watch;

  private AsyncArraysImpl(AsyncHandler handler) {
    this.handler = handler;
    this.watch = Leaks.ENABLED ? Leaks.watch(this, "AsyncArrays") : null;
    if (watch != null) watch.opened();
  }

  public static AsyncArrays connect(Consumer<MemorySegment> start) {
    return connect(Set.of(), start);
  }

  public static AsyncArrays connect(Set<AsyncQuirk> quirks, Consumer<MemorySegment> start) {
    Objects.requireNonNull(start, "start");
    AsyncHandler handler = new AsyncHandler(Objects.requireNonNull(quirks, "quirks"));
    AsyncArrays arrays = new AsyncArraysImpl(handler);
    try {
      start.accept(NativeHeap.segment(handler.struct(), ArrowAsyncHandlerStruct.SIZE));
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
    if (watch != null) watch.closed(); // from now on it is the subscriber's
    handler.subscription.subscribe(subscriber);
  }

  @Override
  public DeviceArrayReader reader(int prefetch) {
    if (prefetch < 1) throw new IllegalArgumentException("prefetch is at least 1, not " + prefetch);
    AsyncSchema schema = awaitSchema();
    AsyncSource source = new AsyncSource(prefetch);
    DeviceArrayReader reader = DeviceArrayReader.of(schema.field(), schema.deviceType(), source);
    subscribe(source);
    return reader;
  }

  private AsyncSchema awaitSchema() {
    try {
      return handler.schema.get();
    } catch (ExecutionException e) {
      close();
      throw e.getCause() instanceof DeviceException cause ? cause : new DeviceException(Errno.EIO, "the stream has no schema", e.getCause());
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
    if (watch != null) watch.closed();
    handler.subscription.abandon(new CancellationException("the stream was closed"));
  }

  public static CompletionStage<Void> produce(
      MemorySegment handler, AsyncSchema schema, Flow.Publisher<DeviceArray> arrays, Executor executor, AsyncQuirk... quirks) {
    Objects.requireNonNull(arrays, "arrays");
    return produce(handler, schema, new PublisherFeed<>(arrays), executor, quirks);
  }

  public static CompletionStage<Void> produceTasks(
      MemorySegment handler, AsyncSchema schema, Flow.Publisher<AsyncTask> tasks, Executor executor, AsyncQuirk... quirks) {
    Objects.requireNonNull(tasks, "tasks");
    return produce(handler, schema, new PublisherFeed<>(tasks), executor, quirks);
  }

  public static CompletionStage<Void> produce(
      MemorySegment handler, DeviceArrayReader reader, Metadata metadata, Executor executor, AsyncQuirk... quirks) {
    AsyncSchema schema = new AsyncSchema(reader.field(), reader.deviceType(), metadata);
    return produce(handler, schema, new ReaderFeed(reader), executor, quirks);
  }

  private static CompletionStage<Void> produce(
      MemorySegment handler, AsyncSchema schema, Feed feed, Executor executor, AsyncQuirk... quirks) {
    Objects.requireNonNull(schema, "schema");
    Objects.requireNonNull(executor, "executor");
    try {
      long struct = checked(Structs.address(handler, ArrowAsyncHandlerStruct.LAYOUT));
      CompletionStage<Void> released = AsyncExport.start(struct, schema, feed, executor, Set.of(quirks));
      var _ = released.whenComplete((_, _) -> Objects.requireNonNull(handler)); // refers to it until then: the stream has its address only
      return released;
    } finally {
      Reference.reachabilityFence(handler);
    }
  }

  public static void refuse(MemorySegment handler, Throwable why) {
    Objects.requireNonNull(why, "why");
    try {
      AsyncExport.refuse(checked(Structs.address(handler, ArrowAsyncHandlerStruct.LAYOUT)), why);
    } finally {
      Reference.reachabilityFence(handler);
    }
  }

  private static long checked(long struct) {
    if (ArrowAsyncHandlerStruct.release(struct) == 0) throw new IllegalArgumentException("the handler was released before it was given");
    if (ArrowAsyncHandlerStruct.onSchema(struct) == 0
        || ArrowAsyncHandlerStruct.onNextTask(struct) == 0
        || ArrowAsyncHandlerStruct.onError(struct) == 0) {
      throw new IllegalArgumentException("the handler's on_schema, on_next_task or on_error is NULL");
    }
    return struct;
  }
}
