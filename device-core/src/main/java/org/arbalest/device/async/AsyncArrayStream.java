// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.async;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.async.AsyncArrayStreamImpl;

/**
 * An async device stream from C, seen by its consumer: a handler that a C producer drives, as a publisher of tasks. The
 * other side is {@link AsyncProducer}.
 *
 * <p>Whoever {@linkplain org.arbalest.device.c.CData#importAsyncStream imported} the stream subscribes to it, once, or
 * closes it. Demand goes to the producer as {@code request}, with one task more, since some send the end only on demand
 * (ASY-13), and first of all when the schema comes, whether or not somebody has subscribed (ASY-29); cancelling goes as
 * {@code cancel}. Each task belongs to the subscriber; those that come after a cancellation are discarded (ASY-10). The
 * handler's memory is freed by the producer's {@code release}, for which {@link #released} waits.
 *
 * <p><b>Threads.</b> The subscriber is signalled on the producer's threads, or on one that requests; it should hand
 * long work to a thread of its own. {@code onSubscribe} too may come from the producer's thread, and then after
 * {@link #subscribe} has returned; nothing comes before it. The subscriber may request and cancel from anywhere, also
 * inside a signal.
 */
public sealed interface AsyncArrayStream extends Flow.Publisher<AsyncTask>, AutoCloseable permits AsyncArrayStreamImpl {
  /**
   * What the stream is of; completes before the first task, on the producer's thread.
   *
   * <p>Fails with what the stream fails with before it, or with a {@link CancellationException} if it was cancelled
   * before.
   */
  CompletionStage<AsyncSchema> schema();

  /**
   * Completes when the producer has released the handler, on the producer's thread: after that it calls nothing any
   * more. Tasks can still be extracted. Fails with the producer's error if the stream ended with one. After a
   * cancellation this may take as long as the producer likes.
   *
   * <p>Fails at once if a call to the producer failed on our side (ASY-30): there may never be a release then, and what
   * the producer calls is refused.
   */
  CompletionStage<Void> released();

  /**
   * Begins to hand the tasks to a subscriber. A second one is told an {@link IllegalStateException}. It fails with a
   * {@link DeviceException}: the producer's errno, message and metadata.
   */
  @Override
  void subscribe(Flow.Subscriber<? super AsyncTask> subscriber);

  /**
   * This stream as a pull stream, which takes it over. Waits until the schema is there; on failure, or if it is
   * interrupted, the stream is closed.
   *
   * @param prefetch how many tasks may wait to be pulled; at least 1
   * @throws DeviceException what the stream fails with before its schema
   */
  DeviceArrayReader reader(int prefetch);

  /**
   * Cancels the stream, unless it has ended; does not wait for the producer, which a cancellation may reach later
   * ({@link AsyncQuirk#PRODUCER_ENDS_EARLY}). A subscriber that has not heard of an end is told a
   * {@link CancellationException}. Closing twice does nothing.
   */
  @Override
  void close();
}
