package org.arbalest.device;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import org.arbalest.device.internal.async.AsyncArraysImpl;

/**
 * An async device stream: as consumer, a handler that a C producer drives, seen as a publisher of tasks; as producer, {@link #produce} and its
 * kin, which drive a handler of somebody else's.
 *
 * <p><b>As consumer.</b> Whoever {@linkplain #connect connected} the stream subscribes to it, once, or closes it. Demand goes to the producer as
 * {@code request}, with one task more, since some send the end only on demand (ASY-13), and first of all when the schema comes, whether or not
 * somebody has subscribed (ASY-29); cancelling goes as {@code cancel}. Each task belongs to the
 * subscriber; those that come after a cancellation are discarded (ASY-10). The handler's memory is freed by the producer's {@code release},
 * for which {@link #released} waits.
 *
 * <p><b>Threads.</b> The subscriber is signalled on the producer's threads, or on one that requests; it should hand long work to a thread of its
 * own. {@code onSubscribe} too may come from the producer's thread, and then after {@link #subscribe} has returned; nothing comes before it. The
 * subscriber may request and cancel from anywhere, also inside a signal.
 */
public sealed interface AsyncArrays extends Flow.Publisher<AsyncTask>, AutoCloseable permits AsyncArraysImpl {
  /**
   * Makes a handler and hands it to a producer.
   *
   * @param start gives the {@code ArrowAsyncDeviceStreamHandler} to the producer, which owns it from then on, and may call it before {@code
   *     start} returns (ASY-26). It must return before the stream has ended: a producer that works on the thread that starts it, as Arrow C++'s
   *     {@code ExportAsyncRecordBatchReader} does, waits in it for demand that nobody can have yet, so start that on a thread of its own. If it
   *     throws, the producer must not have kept the handler; the stream is then undone, and the exception goes to the caller.
   * @return the stream, to be subscribed to or closed
   */
  static AsyncArrays connect(Consumer<MemorySegment> start) {
    return AsyncArraysImpl.connect(start);
  }

  /**
   * The same for a producer with quirks.
   *
   * @param quirks what the producer is known to do
   */
  static AsyncArrays connect(Set<AsyncQuirk> quirks, Consumer<MemorySegment> start) {
    return AsyncArraysImpl.connect(quirks, start);
  }

  /**
   * What the stream is of; completes before the first task, on the producer's thread.
   *
   * <p>Fails with what the stream fails with before it, or with a {@link CancellationException} if it was cancelled before.
   */
  CompletionStage<AsyncSchema> schema();

  /**
   * Completes when the producer has released the handler, on the producer's thread: after that it calls nothing any more. Tasks can still be
   * extracted. Fails with the producer's error if the stream ended with one. After a cancellation this may take as long as the producer likes.
   *
   * <p>Fails at once if a call to the producer failed on our side (ASY-30): there may never be a release then, and what the producer calls is refused.
   */
  CompletionStage<Void> released();

  /**
   * Begins to hand the tasks to a subscriber. A second one is told an {@link IllegalStateException}. It fails with a {@link DeviceException}:
   * the producer's errno, message and metadata.
   */
  @Override
  void subscribe(Flow.Subscriber<? super AsyncTask> subscriber);

  /**
   * This stream as a pull stream, which takes it over. Waits until the schema is there; on failure, or if it is interrupted, the stream is closed.
   *
   * @param prefetch how many tasks may wait to be pulled; at least 1
   * @throws DeviceException what the stream fails with before its schema
   */
  DeviceArrayReader reader(int prefetch);

  /**
   * Cancels the stream, unless it has ended; does not wait for the producer, which a cancellation may reach later ({@link
   * AsyncQuirk#PRODUCER_ENDS_EARLY}). A subscriber that has not heard of an end is told a {@link CancellationException}. Closing twice does nothing.
   */
  @Override
  void close();

  /**
   * Drives a handler with the arrays of a publisher. Both pass to the stream: the handler is released in the end, whatever happens, and an array
   * that the consumer did not extract is closed.
   *
   * <p>The schema goes first, then the publisher is subscribed to; it is asked for no more than the consumer asks for. An array is exported on the
   * thread on which the consumer extracts it. The publisher's failure goes to {@code on_error}: errno, the message with those of its causes,
   * and the metadata of a {@link DeviceException}.
   *
   * @param handler a live {@code ArrowAsyncDeviceStreamHandler}, whose memory stays until it is released; a segment of an automatic arena is
   *     kept until then (OWN-14)
   * @param schema what is announced; arrays that do not fit it are an error
   * @param arrays where they come from; each that is signalled passes to the stream
   * @param executor runs the callbacks, where they are not made on the publisher's thread; not inside the consumer's calls, even if it is one that
   *     runs in the caller
   * @param quirks what the consumer is known to do
   * @return completes when the handler was released: normally at the end, or if the consumer cancelled; with the publisher's error; or with a {@link
   *     DeviceException} if the consumer answered with an error
   * @throws IllegalArgumentException if {@code handler} is not a handler; it is then not released
   */
  static CompletionStage<Void> produce(
      MemorySegment handler, AsyncSchema schema, Flow.Publisher<DeviceArray> arrays, Executor executor, AsyncQuirk... quirks) {
    return AsyncArraysImpl.produce(handler, schema, arrays, executor, quirks);
  }

  /**
   * Drives a handler with the tasks of a publisher, each with its metadata; like {@link #produce(MemorySegment, AsyncSchema, Flow.Publisher,
   * Executor, AsyncQuirk...)}. Tasks of another stream are extracted when the consumer extracts them.
   */
  static CompletionStage<Void> produceTasks(
      MemorySegment handler, AsyncSchema schema, Flow.Publisher<AsyncTask> tasks, Executor executor, AsyncQuirk... quirks) {
    return AsyncArraysImpl.produceTasks(handler, schema, tasks, executor, quirks);
  }

  /**
   * Drives a handler with the arrays of a pull stream, which passes to the stream and is closed in the end; like {@link #produce(MemorySegment,
   * AsyncSchema, Flow.Publisher, Executor, AsyncQuirk...)}. One array is pulled ahead of the demand.
   *
   * @param metadata what is said about the stream
   * @param executor runs the callbacks, and pulls, which may block its thread; the last callbacks of a stream that fails or is cancelled
   *     meanwhile are then made on a thread of their own
   */
  static CompletionStage<Void> produce(
      MemorySegment handler, DeviceArrayReader reader, Metadata metadata, Executor executor, AsyncQuirk... quirks) {
    return AsyncArraysImpl.produce(handler, reader, metadata, executor, quirks);
  }

  /**
   * Tells a handler that there will be no stream: {@code on_error}, then {@code release}, before this returns (ASY-25).
   *
   * @param handler a live {@code ArrowAsyncDeviceStreamHandler} that was told nothing yet
   */
  static void refuse(MemorySegment handler, Throwable why) {
    AsyncArraysImpl.refuse(handler, why);
  }
}
