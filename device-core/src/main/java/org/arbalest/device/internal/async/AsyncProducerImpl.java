// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import org.arbalest.device.async.AsyncProducer;
import org.arbalest.device.async.AsyncQuirk;
import org.arbalest.device.async.AsyncSchema;
import org.arbalest.device.async.AsyncTask;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.abi.ArrowAsyncHandlerStruct;
import org.arbalest.device.internal.memory.Structs;

/** What {@link AsyncProducer} does before an {@link AsyncExport} begins. */
public final class AsyncProducerImpl {
  private AsyncProducerImpl() {}

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
      CompletionStage<Void> released = AsyncExport.start(struct, schema, feed, executor, Set.copyOf(Arrays.asList(quirks)));
      var _ = released.whenComplete((_, _) -> Objects.requireNonNull(handler)); // refers to it until then: the stream has its address only
      return released;
    } finally {
      Reference.reachabilityFence(handler);
    }
  }

  public static void refuse(MemorySegment handler, Throwable why) {
    Objects.requireNonNull(why, "why");
    try {
      new ForeignHandler(checked(Structs.address(handler, ArrowAsyncHandlerStruct.LAYOUT))).refuse(why);
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
