// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.arbalest.device.DeviceException;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.internal.async.AsyncArrayStreamImpl;

/**
 * A consumer's view of an async device stream from native code: a publisher of the tasks that a C producer sends.
 * {@link AsyncProducer} is the opposite side.
 *
 * <p>The caller that {@linkplain org.arbalest.device.c.CData#importAsyncStream imported} the stream subscribes to it
 * once, or closes it.
 *
 * <p><b>Demand.</b> The subscriber's demand goes to the producer as {@code request}, increased by one task, because
 * some producers send the end only on demand (ASY-13). The first {@code request} goes out when the schema arrives, with
 * or without a subscriber (ASY-29). A cancellation goes to the producer as {@code cancel}.
 *
 * <p><b>Ownership.</b> The subscriber owns each task. The library discards tasks that arrive after a cancellation
 * (ASY-10). The producer's {@code release} frees the handler's memory; {@link #released} completes after it.
 *
 * <p><b>Threads.</b> The signals run on the producer's threads, or on a thread that calls {@code request}. The
 * subscriber should pass long work to its own thread. {@code onSubscribe} may also run on the producer's thread, and
 * then after {@link #subscribe} has returned; it is always the first signal. The subscriber may request and cancel from
 * any thread, also inside a signal.
 */
@CheckReturnValue
public sealed interface AsyncArrayStream extends Flow.Publisher<AsyncTask>, AutoCloseable permits AsyncArrayStreamImpl {
  /**
   * Returns a stage with the schema of the stream. It completes before the first task, on the producer's thread.
   *
   * <p>The stage fails with the stream's error if the stream fails before its schema. It fails with a
   * {@link CancellationException} if the stream is cancelled before its schema.
   */
  CompletionStage<AsyncSchema> schema();

  /**
   * Returns a stage that completes when the producer has released the handler, on the producer's thread. From then on
   * the producer makes no callback. Tasks can still be extracted. After a cancellation the producer decides how long
   * the release takes.
   *
   * <p>The stage fails with the producer's error if the stream ended with one. It fails at once if a call to the
   * producer failed inside this library (ASY-30). In that case the producer may never release the handler, and the
   * handler rejects the producer's later calls.
   */
  CompletionStage<Void> released();

  /**
   * Subscribes to the tasks. An error reaches the subscriber as a {@link DeviceException} with the producer's errno,
   * message and metadata. A second subscriber receives an {@link IllegalStateException}.
   */
  @Override
  void subscribe(Flow.Subscriber<? super AsyncTask> subscriber);

  /**
   * Returns this stream as a pull stream. Waits until the schema has arrived. ({@code asReader} of the Kotlin module
   * {@code org.arbalest.coroutines} makes a pull stream of a Kotlin {@code Flow}, not of this stream.)
   *
   * <p><b>Ownership.</b> The reader takes over this stream. If this method fails or is interrupted, it closes the
   * stream.
   *
   * @param prefetch the number of tasks that may wait to be pulled; at least 1
   * @throws DeviceException with the stream's error if the stream fails before its schema
   */
  RecordBatchReader reader(int prefetch);

  /**
   * Cancels the stream, unless it has ended. Does not wait for the producer, which may receive the cancellation later
   * ({@link AsyncQuirk#PRODUCER_ENDS_EARLY}). A subscriber that has not received the end of the stream receives a
   * {@link CancellationException}. A second call does nothing.
   */
  @Override
  void close();
}
