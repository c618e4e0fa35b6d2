// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.arbalest.device.abi.ArrowAsyncHandlerStruct;
import org.arbalest.device.internal.async.AsyncProducerImpl;
import org.arbalest.device.internal.memory.Structs;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Metadata;

/**
 * The producer's side of an async device stream: drives a handler of somebody else's, a C consumer's, as its {@code ArrowAsyncProducer}. The other
 * side is {@link AsyncArrayStream}.
 *
 * <p><b>Threads.</b> The consumer's calls ({@code request}, {@code cancel}, {@code extract_data}) may come on any thread. The callbacks of one
 * stream are made one after the other (ASY-19), on the publisher's thread or the executor's.
 */
public final class AsyncProducer {
  private AsyncProducer() {}

  /**
   * Drives a handler with the arrays of a publisher. Both pass to the stream: the handler is released in the end, whatever happens, and an array
   * that the consumer did not extract is closed.
   *
   * <p>The schema goes first, then the publisher is subscribed to; it is asked for no more than the consumer asks for. An array is exported on the
   * thread on which the consumer extracts it. The publisher's failure goes to {@code on_error}: errno, the message with those of its causes,
   * and the metadata of a {@link DeviceException}. An {@link AsyncArrayStream} of this process gets the failure itself as well, as the cause.
   *
   * @param handler a live {@code ArrowAsyncDeviceStreamHandler}, whose memory stays until it is released; a segment of an automatic arena is
   *     kept until then (OWN-14)
   * @param schema what is announced; arrays that do not fit it are an error, see
   *     {@link DeviceArrayReader#of(Field, org.arbalest.device.abi.DeviceType, DeviceArrayReader.Source)}
   * @param arrays where they come from; each that is signalled passes to the stream, and its handle is spent when {@code onNext} returns. It is asked for more
   *     on the threads that make the callbacks; where its subscription is a {@link org.arbalest.device.spi.WakingSubscription}, on the consumer's, too
   * @param executor runs the callbacks, where they are not made on the publisher's thread; not inside the consumer's calls, even if it is one that
   *     runs in the caller
   * @param quirks what the consumer is known to do
   * @return completes when the handler was released: normally at the end, or if the consumer cancelled; with the publisher's error; or with a {@link
   *     DeviceException} if the consumer answered with an error
   * @throws IllegalArgumentException if {@code handler} is not a handler; it is then not released
   */
  public static CompletionStage<Void> produce(
      MemorySegment handler, AsyncSchema schema, Flow.Publisher<DeviceArray> arrays, Executor executor, AsyncQuirk... quirks) {
    return AsyncProducerImpl.produce(handler, schema, arrays, executor, quirks);
  }

  /**
   * Drives the handler at an address, whose memory stays until it is released; see {@link #produce(MemorySegment, AsyncSchema, Flow.Publisher, Executor,
   * AsyncQuirk...)}.
   *
   * @param handlerAddress where a live {@code ArrowAsyncDeviceStreamHandler} is
   * @throws IllegalArgumentException if the address can be none of a struct: it is 0, negative or not aligned to 8 bytes; says which, and
   *     the number. Nothing was touched
   */
  public static CompletionStage<Void> produce(
      long handlerAddress, AsyncSchema schema, Flow.Publisher<DeviceArray> arrays, Executor executor, AsyncQuirk... quirks) {
    return produce(handler(handlerAddress), schema, arrays, executor, quirks);
  }

  /**
   * Drives a handler with the tasks of a publisher, each with its metadata; like {@link #produce(MemorySegment, AsyncSchema, Flow.Publisher,
   * Executor, AsyncQuirk...)}. Tasks of another stream are extracted when the consumer extracts them.
   */
  public static CompletionStage<Void> produceTasks(
      MemorySegment handler, AsyncSchema schema, Flow.Publisher<AsyncTask> tasks, Executor executor, AsyncQuirk... quirks) {
    return AsyncProducerImpl.produceTasks(handler, schema, tasks, executor, quirks);
  }

  /**
   * Drives the handler at an address with tasks; see {@link #produceTasks(MemorySegment, AsyncSchema, Flow.Publisher, Executor, AsyncQuirk...)} and {@link
   * #produce(long, AsyncSchema, Flow.Publisher, Executor, AsyncQuirk...)}.
   */
  public static CompletionStage<Void> produceTasks(
      long handlerAddress, AsyncSchema schema, Flow.Publisher<AsyncTask> tasks, Executor executor, AsyncQuirk... quirks) {
    return produceTasks(handler(handlerAddress), schema, tasks, executor, quirks);
  }

  /**
   * Drives a handler with the arrays of a pull stream, which passes to the stream and is closed in the end; like {@link #produce(MemorySegment,
   * AsyncSchema, Flow.Publisher, Executor, AsyncQuirk...)}. One array is pulled ahead of the demand.
   *
   * @param metadata what is said about the stream
   * @param executor runs the callbacks, and pulls, which may block its thread; the last callbacks of a stream that fails or is cancelled
   *     meanwhile are then made on a thread of their own
   */
  public static CompletionStage<Void> produce(
      MemorySegment handler, DeviceArrayReader reader, Metadata metadata, Executor executor, AsyncQuirk... quirks) {
    return AsyncProducerImpl.produce(handler, reader, metadata, executor, quirks);
  }

  /**
   * Drives the handler at an address with a pull stream; see {@link #produce(MemorySegment, DeviceArrayReader, Metadata, Executor, AsyncQuirk...)} and {@link
   * #produce(long, AsyncSchema, Flow.Publisher, Executor, AsyncQuirk...)}.
   */
  public static CompletionStage<Void> produce(
      long handlerAddress, DeviceArrayReader reader, Metadata metadata, Executor executor, AsyncQuirk... quirks) {
    return produce(handler(handlerAddress), reader, metadata, executor, quirks);
  }

  /**
   * Tells a handler that there will be no stream: {@code on_error}, then {@code release}, before this returns (ASY-25).
   *
   * @param handler a live {@code ArrowAsyncDeviceStreamHandler} that was told nothing yet
   */
  public static void refuse(MemorySegment handler, Throwable why) {
    AsyncProducerImpl.refuse(handler, why);
  }

  /** Tells the handler at an address that there will be no stream; see {@link #refuse(MemorySegment, Throwable)}. */
  public static void refuse(long handlerAddress, Throwable why) {
    refuse(handler(handlerAddress), why);
  }

  private static MemorySegment handler(long address) {
    return Structs.at("handlerAddress", address, ArrowAsyncHandlerStruct.LAYOUT);
  }
}
