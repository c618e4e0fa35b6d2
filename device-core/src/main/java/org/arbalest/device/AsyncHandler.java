package org.arbalest.device;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.arbalest.device.abi.ArrowAsyncHandlerStruct;
import org.arbalest.device.abi.ArrowAsyncProducerStruct;
import org.arbalest.device.abi.ArrowAsyncTaskStruct;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.device.abi.Errno;
import org.jspecify.annotations.Nullable;

/**
 * A handler that a C producer holds: takes its callbacks, and signals one subscriber.
 *
 * <p>Callbacks are serialised by the producer (ASY-19); the subscriber's calls come from anywhere. Signals are given by whoever finds nobody
 * giving them, so that they are serialised too. The producer is asked for one task more than the subscriber, as some send the end only on
 * demand (ASY-13); that task waits in the queue.
 */
final class AsyncHandler implements Flow.Subscription {
  private final Set<AsyncQuirk> quirks;
  private final long struct;
  private final long tag;
  final CompletableFuture<AsyncSchema> schema = new CompletableFuture<>();
  final CompletableFuture<Void> released = new CompletableFuture<>();

  /** Null before on_schema, which is where the producer's struct is complete (ASY-01). */
  private volatile @Nullable ForeignProducer producer;

  private @Nullable AsyncSchema announced;

  /** Whether the producer has ended the stream, or was told by a non-zero answer that we did; only release may follow. */
  private volatile boolean over;

  /** What the producer failed with. */
  private volatile @Nullable Throwable failure;

  private volatile boolean extractFailed;

  /** Whether any callback came. */
  private volatile boolean called;

  private final AtomicBoolean subscribed = new AtomicBoolean();
  private volatile Flow.@Nullable Subscriber<? super AsyncTask> subscriber;
  private final AtomicLong demanded = new AtomicLong();
  private final Queue<ImportedTask> queue = new ConcurrentLinkedQueue<>();

  /** Whether tasks are discarded: the subscriber cancelled, or the stream was closed. */
  private volatile boolean discarding;

  /** Whether the subscriber hears nothing any more. */
  private volatile boolean muted;

  /** Whether the subscriber is to hear of the end, once it has all tasks; with the error, if there is one. */
  private volatile boolean ended;

  private volatile @Nullable Throwable error;

  /** Who wants something signalled; above 0 while somebody signals, who guards the next three. */
  private final AtomicInteger signals = new AtomicInteger();

  private long emitted;
  private boolean introduced;
  private boolean finished;

  AsyncHandler(Set<AsyncQuirk> quirks) {
    this.quirks = Set.copyOf(quirks);
    struct = NativeHeap.allocate(ArrowAsyncHandlerStruct.SIZE);
    try {
      tag = Slots.take(this);
    } catch (Throwable t) {
      NativeHeap.free(struct);
      throw t;
    }
    ArrowAsyncHandlerStruct.setOnSchema(struct, Callbacks.HANDLER_ON_SCHEMA);
    ArrowAsyncHandlerStruct.setOnNextTask(struct, Callbacks.HANDLER_ON_NEXT_TASK);
    ArrowAsyncHandlerStruct.setOnError(struct, Callbacks.HANDLER_ON_ERROR);
    ArrowAsyncHandlerStruct.setRelease(struct, Callbacks.HANDLER_RELEASE);
    ArrowAsyncHandlerStruct.setProducer(struct, 0);
    ArrowAsyncHandlerStruct.setPrivateData(struct, tag);
  }

  /** Memory of ours that {@link #release} frees. */
  long struct() {
    return struct;
  }

  boolean has(AsyncQuirk quirk) {
    return quirks.contains(quirk);
  }

  /** Whether a producer has this handler, as far as one can see. */
  boolean isTaken() {
    return called || over || ArrowAsyncHandlerStruct.producer(struct) != 0;
  }

  // ---- what the producer calls ----

  private static @Nullable AsyncHandler find(long handler) {
    return Slots.find(ArrowAsyncHandlerStruct.privateData(handler)) instanceof AsyncHandler found ? found : null;
  }

  /** {@code on_schema}; releases the schema whatever happens (ASY-03). */
  static int onSchema(long handler, long schema) {
    AsyncHandler found = find(handler);
    if (found == null) {
      Calls.releaseSchema(schema);
      return Errno.EINVAL;
    }
    found.called = true;
    return found.onSchema(schema);
  }

  /** {@code on_next_task}: a task that is answered with an error stays the producer's. */
  static int onNextTask(long handler, long task, long metadata) {
    AsyncHandler found = find(handler);
    return found == null ? Errno.EINVAL : found.onNextTask(task, metadata);
  }

  /** {@code on_error}. */
  static void onError(long handler, int code, long message, long metadata) {
    AsyncHandler found = find(handler);
    if (found == null) return;
    found.called = true;
    found.onError(code, message, metadata);
  }

  /** {@code release}: the last call; frees the handler. */
  static void release(long handler) {
    AsyncHandler found = find(handler);
    if (found != null) found.release();
  }

  private int onSchema(long schemaStruct) {
    try {
      if (over || producer != null) {
        Calls.releaseSchema(schemaStruct);
        throw DeviceException.invalid(over ? "on_schema came after the end of the stream" : "on_schema came twice");
      }
      Field field = SchemaImporter.importSchema(schemaStruct);
      long peer = ArrowAsyncHandlerStruct.producer(struct);
      if (peer == 0) throw DeviceException.invalid("on_schema came before the handler's producer was set");
      if (ArrowAsyncProducerStruct.request(peer) == 0 || ArrowAsyncProducerStruct.cancel(peer) == 0) {
        throw DeviceException.invalid("the producer's request or cancel is NULL");
      }
      Metadata metadata = MetadataCodec.read(ArrowAsyncProducerStruct.additionalMetadata(metadataBase(peer)));
      AsyncSchema found = new AsyncSchema(field, new DeviceType(ArrowAsyncProducerStruct.deviceType(peer)), metadata);
      announced = found;
      producer = new ForeignProducer(peer, has(AsyncQuirk.PRODUCER_ENDS_EARLY), this::wanted);
      schema.complete(found);
    } catch (Throwable t) {
      return refuse(t);
    }
    pinned();
    return 0;
  }

  /** Where the producer would begin if its metadata were at {@code abi.h}'s offset. */
  private long metadataBase(long peer) {
    return has(AsyncQuirk.PRODUCER_HAS_RELEASE) ? peer + Long.BYTES : peer;
  }

  private int onNextTask(long task, long metadata) {
    if (over) return Errno.EINVAL;
    ForeignProducer from = producer;
    AsyncSchema type = announced;
    if (from == null || type == null) return refuse(DeviceException.invalid("on_next_task came before on_schema"));
    if (task == 0) {
      end(null);
      return 0;
    }
    ImportedTask taken;
    try {
      long extractData = ArrowAsyncTaskStruct.extractData(task);
      if (extractData == 0) throw DeviceException.invalid("a task's extract_data is NULL");
      Metadata said = metadata == 0 ? Metadata.empty() : MetadataCodec.read(metadata);
      taken = new ImportedTask(this, type, extractData, ArrowAsyncTaskStruct.privateData(task), said);
    } catch (Throwable t) {
      return refuse(t);
    }
    from.deliver();
    give(taken);
    from.pinned();
    return 0;
  }

  private void give(ImportedTask task) {
    if (!signals.compareAndSet(0, 1)) {
      queue.add(task);
      signal();
      return;
    }
    Flow.Subscriber<? super AsyncTask> to = subscriber;
    if (to != null && introduced && !discarding && emitted < demanded.get() && queue.isEmpty()) {
      emit(to, task);
    } else {
      queue.add(task);
      signalOnce();
    }
    if (signals.decrementAndGet() != 0) signalUntilQuiet(signals.get());
  }

  /** Ends the stream with an error that only we know of; the answer makes the producer release. */
  private int refuse(Throwable why) {
    if (!over) fail(why);
    return StreamExport.errno(why);
  }

  private void onError(int code, long message, long metadata) {
    if (over) return; // what Arrow C++ calls after a refusal (ASY-11)
    if (discarding && !extractFailed) {
      end(null); // what Arrow C++ makes of a cancellation (ASY-09), or what nobody waits for any more
      return;
    }
    String text = message == 0 ? "the producer failed with " + Errno.name(code) + " and no message" : NativeHeap.getString(message);
    Metadata details;
    try {
      details = MetadataCodec.read(metadata);
    } catch (DeviceException e) {
      details = Metadata.empty();
      text += " (its metadata is malformed: " + e.getMessage() + ")";
    }
    fail(new DeviceException(code == 0 ? Errno.EIO : code, text, null, details));
  }

  private void fail(Throwable why) {
    failure = why;
    end(why);
  }

  /** The producer's end: nothing but release may come, and the producer is not called any more (ASY-20). */
  private void end(@Nullable Throwable why) {
    over = true;
    ForeignProducer from = producer;
    if (from != null) from.end();
    finish(why);
  }

  /** The subscriber is to hear of the end; of the first one. */
  private void finish(@Nullable Throwable why) {
    if (why != null) schema.completeExceptionally(why);
    if (!ended) {
      error = why;
      ended = true;
    }
    signal();
  }

  void release() {
    ForeignProducer from = producer;
    if (from != null) from.end();
    if (!over && !discarding) {
      fail(new DeviceException(Errno.EIO, "the producer released the handler without an end or an error")); // ASY-14
    } else if (!over) {
      end(null);
    }
    schema.completeExceptionally(new CancellationException("the stream was cancelled before its schema came"));
    Slots.leave(tag);
    ArrowAsyncHandlerStruct.setRelease(struct, 0); // ASY-24
    Quarantine.free(struct);
    Throwable why = failure;
    if (why == null) {
      released.complete(null);
    } else {
      released.completeExceptionally(why);
    }
  }

  // ---- what the subscriber calls ----

  void subscribe(Flow.Subscriber<? super AsyncTask> newSubscriber) {
    if (!subscribed.compareAndSet(false, true)) {
      newSubscriber.onSubscribe(Nobody.INSTANCE);
      newSubscriber.onError(new IllegalStateException("an async stream has one subscriber, and has it"));
      return;
    }
    subscriber = newSubscriber;
    signal();
  }

  @Override
  public void request(long n) {
    if (n <= 0) {
      abandon(new IllegalArgumentException("§3.9: a subscriber requests at least 1, not " + n));
      return;
    }
    demanded.accumulateAndGet(n, AsyncHandler::addSaturating);
    signal();
    ForeignProducer from = producer;
    if (from != null) from.request(false);
  }

  @Override
  public void cancel() {
    muted = true;
    discard();
  }

  /** Closes the stream: the producer is cancelled, and the subscriber, if there is one, is told why. */
  void abandon(Throwable why) {
    if (error == null) error = why;
    ended = true;
    discard();
    schema.completeExceptionally(why);
  }

  private void discard() {
    discarding = true;
    ForeignProducer from = producer;
    if (from != null) from.cancel(false);
    signal();
  }

  static long addSaturating(long a, long b) {
    long sum = a + b;
    return sum < 0 ? Long.MAX_VALUE : sum;
  }

  /** What the producer is to be asked for all in all. */
  private long wanted() {
    long n = demanded.get();
    return n == 0 ? 0 : addSaturating(n, 1);
  }

  // ---- what tasks call ----

  /** The calling thread has a task that is not extracted. */
  void beforeExtract() {
    ForeignProducer from = producer;
    if (from != null) from.pinned();
  }

  /** What the producer reports next is why (ASY-18), also if the stream is cancelled meanwhile. */
  void extractFailed() {
    extractFailed = true;
  }

  private void pinned() {
    ForeignProducer from = producer;
    if (from == null) return;
    if (discarding) from.cancel(true); // cancelled before the producer was known
    from.pinned();
  }

  // ---- signals ----

  private void signal() {
    if (signals.getAndIncrement() == 0) signalUntilQuiet(1);
  }

  private void signalUntilQuiet(int some) {
    int missed = some;
    while (missed != 0) {
      signalOnce();
      missed = signals.addAndGet(-missed);
    }
  }

  private void signalOnce() {
    Flow.Subscriber<? super AsyncTask> to = subscriber;
    if (to != null && !introduced) {
      introduced = true;
      introduce(to);
    }
    boolean atEnd = ended; // before the queue: what comes first is signalled first
    if (to != null) {
      while (!discarding && emitted < demanded.get()) {
        ImportedTask task = queue.poll();
        if (task == null) break;
        emit(to, task);
      }
    }
    if (discarding) discardQueued();
    if (to == null) return;
    if (muted) {
      subscriber = null; // §3.13
    } else if (atEnd && !finished && queue.isEmpty()) {
      finished = true;
      subscriber = null;
      complete(to);
    }
  }

  private void introduce(Flow.Subscriber<? super AsyncTask> to) {
    try {
      to.onSubscribe(this);
    } catch (Throwable t) {
      threw("onSubscribe", t);
    }
  }

  private void emit(Flow.Subscriber<? super AsyncTask> to, ImportedTask task) {
    emitted++;
    try {
      to.onNext(task);
    } catch (Throwable t) {
      discardTask(task);
      threw("onNext", t);
    }
  }

  private void complete(Flow.Subscriber<? super AsyncTask> to) {
    Throwable why = error;
    try {
      if (why == null) {
        to.onComplete();
      } else {
        to.onError(why);
      }
    } catch (Throwable t) {
      Faults.report("a subscriber's onComplete or onError", t);
    }
  }

  /** A subscriber that throws has cancelled (§2.13). */
  private void threw(String what, Throwable t) {
    Faults.report("a subscriber's " + what, t);
    cancel();
  }

  private void discardQueued() {
    ImportedTask task;
    while ((task = queue.poll()) != null) discardTask(task);
  }

  private static void discardTask(ImportedTask task) {
    try {
      task.close();
    } catch (Throwable t) {
      Faults.report("discarding a task", t);
    }
  }

  private enum Nobody implements Flow.Subscription {
    INSTANCE;

    @Override
    public void request(long n) {}

    @Override
    public void cancel() {}
  }
}
