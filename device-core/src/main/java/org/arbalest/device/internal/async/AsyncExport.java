package org.arbalest.device.internal.async;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.arbalest.device.AsyncQuirk;
import org.arbalest.device.AsyncSchema;
import org.arbalest.device.AsyncTask;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Metadata;
import org.arbalest.device.abi.ArrowAsyncHandlerStruct;
import org.arbalest.device.abi.ArrowAsyncProducerStruct;
import org.arbalest.device.abi.ArrowAsyncTaskStruct;
import org.arbalest.device.abi.ArrowSchemaStruct;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.internal.calls.Calls;
import org.arbalest.device.internal.lifetime.HeldByC;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Quarantine;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.internal.schema.MetadataCodec;
import org.arbalest.device.internal.schema.SchemaExport;
import org.arbalest.device.internal.schema.SchemaImporter;
import org.arbalest.device.internal.stream.DeviceArrayReaderImpl;
import org.arbalest.device.internal.stream.StreamExport;
import org.jspecify.annotations.Nullable;

/**
 * A stream that drives a consumer's handler.
 *
 * <p>Whatever happens, by request, cancellation, an item or its end, only notes it and signals; one thread at a time then acts ({@link #step}), so
 * that callbacks are serialised (ASY-19). It is the executor's, or the one on which the feed signals, and never one that is inside
 * {@code request} or {@code cancel} (ASY-04). While it waits for the feed, another can take its place, to end the stream: neither an error nor a
 * release waits for a source from which nothing comes.
 *
 * <p>The producer struct lives until the handler is released and every task is extracted, since some ask for more while they drain (ASY-22). It is
 * found by its address: the word behind the longer of its two layouts is our tag.
 */
public final class AsyncExport implements HeldByC, Runnable {
  private static final long TAG = ArrowAsyncProducerStruct.SIZE + Long.BYTES;
  private static final long TASK = TAG + Long.BYTES;
  private static final long SCHEMA = TASK + ArrowAsyncTaskStruct.SIZE;
  private static final long STREAM_METADATA = SCHEMA + ArrowSchemaStruct.SIZE;

  private static final long NOBODY = nobody();

  /** For what an executor refuses, or would run inside {@code request}. */
  private static final Executor FALLBACK = new CompletableFuture<>().defaultExecutor();

  private final long handler;
  private final AsyncSchema schema;
  private final Feed feed;
  private final Executor executor;
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  private final long block;
  private final long tag;

  /** The last task's metadata; grows. */
  private long taskMetadata;

  private long taskMetadataBytes;

  /** The tasks that are not extracted, if the consumer may drop some. */
  private final @Nullable Set<TaskExport> tasks;

  /** This stream, and each task that is not extracted. */
  private final AtomicInteger holders = new AtomicInteger(1);

  private final AtomicLong demanded = new AtomicLong();
  private volatile boolean cancelled;

  /** What makes the stream fail, but for the feed's failure: the first one counts. */
  private final AtomicReference<@Nullable Throwable> fault = new AtomicReference<>();

  /** Who wants something done; above 0 while somebody does it, who guards the next two. */
  private final AtomicInteger signals = new AtomicInteger();

  private boolean announced;
  private long sent;
  private volatile boolean over;

  /** Whether the thread that acts is waiting for the feed; whoever makes this false acts from then on. */
  private final AtomicBoolean waiting = new AtomicBoolean();

  /** Who is handing this to the executor. */
  private final AtomicReference<@Nullable Thread> scheduling = new AtomicReference<>();

  private AsyncExport(long handler, AsyncSchema schema, Feed feed, Executor executor, Set<AsyncQuirk> quirks) {
    this.handler = handler;
    this.schema = schema;
    this.feed = feed;
    this.executor = executor;
    this.tasks = quirks.contains(AsyncQuirk.DROPS_TASKS) ? ConcurrentHashMap.newKeySet() : null;
    block = NativeHeap.allocate(STREAM_METADATA + MetadataCodec.size(schema.metadata()));
    try {
      tag = Slots.take(this);
    } catch (Throwable t) {
      NativeHeap.free(block);
      throw t;
    }
    NativeHeap.fill(block, STREAM_METADATA, (byte) 0);
    NativeHeap.putLong(block + TAG, tag);
    ArrowAsyncProducerStruct.setDeviceType(block, schema.deviceType().code());
    ArrowAsyncProducerStruct.setRequest(block, AsyncCallbacks.PRODUCER_REQUEST);
    ArrowAsyncProducerStruct.setCancel(block, AsyncCallbacks.PRODUCER_CANCEL);
    if (!schema.metadata().isEmpty()) {
      MetadataCodec.write(schema.metadata(), block + STREAM_METADATA);
      boolean hasRelease = quirks.contains(AsyncQuirk.PRODUCER_HAS_RELEASE);
      ArrowAsyncProducerStruct.setAdditionalMetadata(hasRelease ? block + Long.BYTES : block, block + STREAM_METADATA);
    }
  }

  /** Takes over a handler and a feed; both are let go of in the end, whatever happens. */
  static CompletionStage<Void> start(long handler, AsyncSchema schema, Feed feed, Executor executor, Set<AsyncQuirk> quirks) {
    AsyncExport export;
    try {
      export = new AsyncExport(handler, schema, feed, executor, quirks);
    } catch (Throwable t) {
      letGo(feed);
      refuse(handler, t);
      return CompletableFuture.failedStage(t);
    }
    ArrowAsyncHandlerStruct.setProducer(handler, export.block); // ASY-01
    export.schedule();
    return export.done.minimalCompletionStage();
  }

  /** {@code on_error} and {@code release}, on a handler that was not told a schema (ASY-25). */
  static void refuse(long handler, Throwable why) {
    ArrowAsyncHandlerStruct.setProducer(handler, NOBODY); // ASY-01
    tellError(handler, why);
    Calls.release(ArrowAsyncHandlerStruct.release(handler), handler);
  }

  /** A producer of nothing, for the life of the process: its tag is nobody's. */
  private static long nobody() {
    long block = NativeHeap.allocate(TASK);
    NativeHeap.fill(block, TASK, (byte) 0);
    ArrowAsyncProducerStruct.setDeviceType(block, DeviceType.CPU.code());
    ArrowAsyncProducerStruct.setRequest(block, AsyncCallbacks.PRODUCER_REQUEST);
    ArrowAsyncProducerStruct.setCancel(block, AsyncCallbacks.PRODUCER_CANCEL);
    return block;
  }

  // ---- what the consumer calls; nothing here calls back ----

  private static @Nullable AsyncExport find(long producer) {
    return Slots.find(NativeHeap.getLong(producer + TAG)) instanceof AsyncExport found ? found : null;
  }

  /** {@code request}. */
  public static void request(long producer, long n) {
    AsyncExport found = find(producer);
    if (found == null || found.cancelled || found.over) return; // ASY-07
    if (n <= 0) {
      found.fault.compareAndSet(null, DeviceException.invalid("request(" + n + "): a consumer requests at least 1")); // ASY-05
    } else {
      found.demanded.accumulateAndGet(n, TaskSubscription::addSaturating); // ASY-06
    }
    found.schedule();
  }

  /** {@code cancel}. */
  public static void cancel(long producer) {
    AsyncExport found = find(producer);
    if (found == null || found.cancelled || found.over) return; // ASY-08
    found.cancelled = true;
    found.schedule();
  }

  /** A task's data could not be had; the consumer has its errno, and is to hear the rest (ASY-18). */
  void extractFailed(Throwable why) {
    fault.compareAndSet(null, why);
    if (!over) schedule();
  }

  // ---- who acts when ----

  /** Something changed: sees to it on this thread, unless another is at it. */
  void signal() {
    if (signals.getAndIncrement() == 0) act(1);
  }

  /** Something changed, and this thread is the consumer's. */
  private void schedule() {
    if (signals.getAndIncrement() != 0) {
      // On a thread of its own: the wait may have the only one of an executor, also of the common pool.
      if (isInterrupted() && waiting.get()) Thread.ofPlatform().name("arbalest-async-end").daemon().start(this::takeOver);
      return;
    }
    scheduling.set(Thread.currentThread());
    try {
      executor.execute(this);
    } catch (Throwable t) {
      fault.compareAndSet(null, new DeviceException(Errno.ECANCELED, "the producer's executor refused to run it: " + t, t));
      FALLBACK.execute(this);
    } finally {
      scheduling.compareAndSet(Thread.currentThread(), null);
    }
  }

  /** For the executor. */
  @Override
  public void run() {
    if (Thread.currentThread().equals(scheduling.get())) {
      FALLBACK.execute(this);
    } else {
      act(signals.get());
    }
  }

  /** The thread that acts waits for the feed, and the stream is to end: this thread acts instead. */
  private void takeOver() {
    if (waiting.compareAndSet(true, false)) act(signals.get());
  }

  private void act(int some) {
    int missed = some;
    while (missed != 0) {
      try {
        if (!step()) return;
      } catch (Throwable t) {
        if (over) {
          Faults.report("ending a stream", t);
        } else {
          fail(t); // what a publisher's request or cancel threw
        }
      }
      missed = signals.addAndGet(-missed);
    }
  }

  // ---- what is done, by one thread at a time ----

  /** False if another thread has taken over meanwhile. */
  private boolean step() {
    if (over) {
      feed.discard();
      return true;
    }
    if (!announced) {
      announced = true;
      if (!isInterrupted() && !announce()) return true;
    }
    while (!isInterrupted()) {
      feed.demand(demanded.get());
      if (feed.isDry() && !pull()) return false;
      AutoCloseable item = sent < demanded.get() ? feed.poll() : null;
      if (item == null) break;
      if (!send(item)) return true;
    }
    boolean isFinished = !isInterrupted() && feed.isFinished();
    Throwable why = fault.get();
    if (why != null) {
      fail(why);
    } else if (cancelled) {
      stop(null); // ASY-09
    } else if (isFinished && feed.failure() != null) {
      fail(feed.failure());
    } else if (isFinished) {
      complete();
    }
    return true;
  }

  /** Waits for the feed; false if another thread has taken over meanwhile. */
  private boolean pull() {
    waiting.set(true);
    if (!isInterrupted()) feed.pull(); // looked at again: whoever interrupts from now on sees that we wait
    return waiting.compareAndSet(true, false);
  }

  private boolean isInterrupted() {
    return cancelled || fault.get() != null;
  }

  /** Tells the schema; false if that was the end. */
  private boolean announce() {
    long schemaStruct = block + SCHEMA;
    try {
      SchemaExport.exportSchema(schema.field(), schemaStruct);
    } catch (Throwable t) {
      fail(t); // ASY-25
      return false;
    }
    int code = Calls.get(ArrowAsyncHandlerStruct.onSchema(handler), handler, schemaStruct);
    SchemaImporter.giveBack(schemaStruct); // if the consumer did not
    if (code != 0) {
      refused("on_schema", code);
      return false;
    }
    try {
      feed.start(this);
    } catch (Throwable t) {
      fault.compareAndSet(null, t);
    }
    return true;
  }

  /** Announces an item, which passes to the consumer; false if that was the end. */
  private boolean send(AutoCloseable item) {
    TaskExport task;
    long metadata;
    try {
      if (item instanceof DeviceArray array) check(array);
      metadata = item instanceof AsyncTask said ? write(said.metadata()) : 0;
      task = new TaskExport(this, item);
    } catch (Throwable t) {
      close(item);
      fail(t);
      return false;
    }
    task.write(block + TASK);
    sent++;
    int code = Calls.onNextTask(ArrowAsyncHandlerStruct.onNextTask(handler), handler, block + TASK, metadata);
    if (code == 0) return true;
    task.discard();
    refused("on_next_task", code);
    return false;
  }

  private long write(Metadata metadata) {
    long size = MetadataCodec.size(metadata);
    if (size == 0) return 0;
    if (size > taskMetadataBytes) {
      NativeHeap.free(taskMetadata);
      taskMetadata = 0;
      taskMetadataBytes = 0;
      taskMetadata = NativeHeap.allocate(2 * size);
      taskMetadataBytes = 2 * size;
    }
    MetadataCodec.write(metadata, taskMetadata);
    return taskMetadata;
  }

  /** An array that is not of the stream's type or device type is an error. */
  void check(DeviceArray array) {
    DeviceArrayReaderImpl.check(array, schema.field(), schema.deviceType());
  }

  private void complete() {
    int code = Calls.onNextTask(ArrowAsyncHandlerStruct.onNextTask(handler), handler, 0, 0);
    if (code == 0) {
      stop(null);
    } else {
      refused("on_next_task, at the end,", code);
    }
  }

  private void fail(Throwable why) {
    tellError(handler, why);
    stop(why);
  }

  /** The consumer does not want the stream: nothing but release is called (ASY-11). */
  private void refused(String call, int code) {
    stop(new DeviceException(code, "the consumer's " + call + " returned " + Errno.name(code) + " (" + code + ")"));
  }

  /** Lets the handler go. */
  private void stop(@Nullable Throwable why) {
    over = true;
    letGo(feed);
    Calls.release(ArrowAsyncHandlerStruct.release(handler), handler);
    if (tasks != null && (why != null || cancelled)) tasks.forEach(TaskExport::discard);
    leave();
    if (why == null) {
      done.complete(null);
    } else {
      done.completeExceptionally(why);
    }
  }

  /** Whatever it throws, the handler is still to be let go. */
  private static void letGo(Feed feed) {
    try {
      feed.stop();
      feed.discard();
    } catch (Throwable t) {
      Faults.report("stopping a stream's source", t);
    }
  }

  /** Code, message and metadata; their memory lives for the call (ASY-21). */
  private static void tellError(long handler, Throwable why) {
    long message = 0;
    long metadata = 0;
    try {
      byte[] text = StreamExport.messageWithCauses(why).replace('\0', ' ').getBytes(UTF_8);
      message = NativeHeap.allocate(text.length + 1L);
      NativeHeap.putBytes(message, text);
      NativeHeap.putByte(message + text.length, (byte) 0);
      if (why instanceof DeviceException e && !e.metadata().isEmpty()) {
        metadata = NativeHeap.allocate(MetadataCodec.size(e.metadata()));
        MetadataCodec.write(e.metadata(), metadata);
      }
    } catch (OutOfMemoryError | DeviceException _) {
      // No memory for more: the code must do.
    }
    try {
      Calls.onError(ArrowAsyncHandlerStruct.onError(handler), handler, StreamExport.errno(why), message, metadata);
    } finally {
      NativeHeap.free(message);
      NativeHeap.free(metadata);
    }
  }

  // ---- lifetime ----

  /** A task is announced. */
  void retain(TaskExport task) {
    holders.incrementAndGet();
    if (tasks != null) tasks.add(task);
  }

  /** It is no longer. */
  void leave(TaskExport task) {
    if (tasks != null) tasks.remove(task);
    leave();
  }

  /** The stream, or a task, has ended; the last one frees the producer struct. */
  private void leave() {
    if (holders.decrementAndGet() != 0) return;
    Slots.leave(tag);
    NativeHeap.free(taskMetadata);
    Quarantine.free(block);
  }

  static void close(AutoCloseable item) {
    try {
      item.close();
    } catch (Exception e) {
      Faults.report("closing a task that nobody wants", e);
    }
  }

  @Override
  public Kind heldAs() {
    return Kind.PRODUCER;
  }
}
