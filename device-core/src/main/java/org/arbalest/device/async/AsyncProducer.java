// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async;

import java.util.concurrent.Flow;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.async.AsyncProducerImpl;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Metadata;

/**
 * What an async stream is made of: {@link org.arbalest.device.c.CData#exportAsyncStream} drives a consumer's handler
 * with it, once. The other side is {@link AsyncArrayStream}.
 */
public sealed interface AsyncProducer permits AsyncProducerImpl {
  /**
   * The arrays of a publisher.
   *
   * @param schema what is announced; arrays that do not fit it are an error, see
   *     {@link DeviceArrayReader#of(Field, org.arbalest.device.DeviceType, DeviceArrayReader.Source)}
   * @param arrays each that is signalled passes to the stream, and its handle is consumed when {@code onNext} returns.
   *     The publisher is asked for more on the threads that make the callbacks; where its subscription is a {@link
   *     org.arbalest.device.async.WakingSubscription}, on the consumer's, too. Its failure goes to {@code on_error}:
   *     errno, the message with those of its causes, and the metadata of a {@link DeviceException}
   */
  static AsyncProducer of(AsyncSchema schema, Flow.Publisher<DeviceArray> arrays) {
    return AsyncProducerImpl.of(schema, arrays);
  }

  /**
   * The arrays of a pull stream, which passes with the export, and is closed in the end. One array is pulled ahead of
   * the demand, by the executor, whose thread that may block; the last callbacks of a stream that fails or is cancelled
   * meanwhile are then made on a thread of their own.
   *
   * @param metadata what is said about the stream
   */
  static AsyncProducer of(DeviceArrayReader reader, Metadata metadata) {
    return AsyncProducerImpl.of(reader, metadata);
  }

  /**
   * The tasks of a publisher, each with its metadata; see {@link #of(AsyncSchema, Flow.Publisher)}. Tasks of another
   * stream are extracted when the consumer extracts them.
   */
  static AsyncProducer ofTasks(AsyncSchema schema, Flow.Publisher<AsyncTask> tasks) {
    return AsyncProducerImpl.ofTasks(schema, tasks);
  }

  /**
   * A failure instead of a stream: the handler is told {@code on_error}, then {@code release}, before the export
   * returns (ASY-25).
   */
  static AsyncProducer failed(Throwable why) {
    return AsyncProducerImpl.failed(why);
  }
}
