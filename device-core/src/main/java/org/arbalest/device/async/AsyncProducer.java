// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async;

import java.util.concurrent.Flow;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.internal.async.AsyncProducerImpl;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Metadata;

/**
 * A source of an async stream. {@link org.arbalest.device.c.CData#exportAsyncStream} drives one consumer's handler with
 * it, once. {@link AsyncArrayStream} is the opposite side.
 */
public sealed interface AsyncProducer permits AsyncProducerImpl {
  /**
   * Creates a producer of a publisher's arrays.
   *
   * @param schema the schema that the stream announces. An array that does not fit it is an error; see
   *     {@link DeviceArrayReader#of(Field, org.arbalest.device.DeviceType, DeviceArrayReader.Source)}
   * @param arrays the publisher. The stream owns each published array, whose handle is consumed when {@code onNext}
   *     returns. Demand reaches the publisher on the threads that make the callbacks, and with a
   *     {@link org.arbalest.device.async.WakingSubscription} also on the consumer's threads. A failure of the publisher
   *     goes to {@code on_error}: the errno, the message with the messages of its causes, and the metadata of a
   *     {@link DeviceException}
   */
  static AsyncProducer of(AsyncSchema schema, Flow.Publisher<RecordBatch> arrays) {
    return AsyncProducerImpl.of(schema, arrays);
  }

  /**
   * Creates a producer of a pull stream's arrays.
   *
   * <p>The executor pulls one array ahead of the demand, and its thread may block in the pull. If the stream fails or
   * is cancelled during that time, a separate thread makes the last callbacks.
   *
   * <p><b>Ownership.</b> The export takes over the reader and closes it at the end.
   *
   * @param metadata the metadata of the stream
   */
  static AsyncProducer of(RecordBatchReader reader, Metadata metadata) {
    return AsyncProducerImpl.of(reader, metadata);
  }

  /**
   * Creates a producer of a publisher's tasks, each with its metadata; see {@link #of(AsyncSchema, Flow.Publisher)}. A
   * task of another stream is extracted when the consumer extracts it.
   */
  static AsyncProducer ofTasks(AsyncSchema schema, Flow.Publisher<AsyncTask> tasks) {
    return AsyncProducerImpl.ofTasks(schema, tasks);
  }

  /**
   * Creates a producer that fails instead of sending a stream. The handler receives {@code on_error} and then
   * {@code release}, before the export returns (ASY-25).
   */
  static AsyncProducer failed(Throwable why) {
    return AsyncProducerImpl.failed(why);
  }
}
