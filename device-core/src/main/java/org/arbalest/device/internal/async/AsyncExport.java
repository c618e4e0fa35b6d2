// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.async.AsyncQuirk;
import org.arbalest.device.async.AsyncSchema;
import org.arbalest.device.internal.lifetime.HeldByC;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.internal.recording.Recording;
import org.arbalest.device.internal.schema.SchemaExport;
import org.arbalest.device.internal.schema.SchemaImporter;
import org.arbalest.device.internal.stream.StreamCheck;
import org.jspecify.annotations.Nullable;

/**
 * A stream that calls a consumer's handler.
 *
 * <p>A request, a cancellation, an item or its end is only noted and signalled. Then one thread at a time acts
 * ({@link #step}), so that callbacks are serialised (ASY-19): see {@link SerialExecutor}.
 *
 * <p>The producer struct ({@link ProducerBlock}) lives as long as {@link ProducerHolders} has references.
 */
public final class AsyncExport extends SerialExecutor implements HeldByC {
  private final ForeignHandler handler;
  private final AsyncSchema schema;
  private final StreamCheck check;
  private final Feed feed;
  private final CompletableFuture<Void> done = new CompletableFuture<>();

  private final ProducerHolders holders;
  private final ProducerBlock block;
  private final Requests requests = new Requests();

  /**
   * Written by the acting thread. A recording reads it before all other fields: it finds this object by its slot, which
   * was taken inside the constructor, before the last fields were set.
   */
  private volatile boolean announced;

  /** Used by the acting thread. */
  private long sent;

  private volatile boolean over;

  private AsyncExport(ForeignHandler handler, AsyncSchema schema, Feed feed, Executor executor,
      Set<AsyncQuirk> quirks) {
    super(executor);
    RecordedStreams.begin();
    this.handler = handler;
    this.schema = schema;
    this.check = new StreamCheck(schema.schema().asField(), schema.deviceType());
    this.feed = feed;
    this.holders = new ProducerHolders(this, schema, quirks);
    this.block = holders.block();
  }

  /** Takes over a handler and a feed. Both are released in the end, in every case. */
  static CompletionStage<Void> start(long struct, AsyncSchema schema, Feed feed, Executor executor,
      Set<AsyncQuirk> quirks) {
    ForeignHandler handler = new ForeignHandler(struct);
    AsyncExport export;
    try {
      export = new AsyncExport(handler, schema, feed, executor, quirks);
    } catch (Throwable t) {
      feed.letGo();
      handler.refuse(t);
      return CompletableFuture.failedStage(t);
    }
    handler.setProducer(export.block); // ASY-01
    export.schedule();
    return export.done.minimalCompletionStage();
  }

  // ---- called by the consumer; none of these methods calls back ----

  /** Returns the stream whose producer a consumer calls, or null if it no longer exists. */
  static @Nullable AsyncExport find(long producer) {
    return Slots.find(ProducerBlock.handle(producer)) instanceof AsyncExport found ? found : null;
  }

  /** Implements {@code request}. */
  void request(long n) {
    if (requests.isCancelled() || over) return; // ASY-07
    requests.request(n);
    if (n <= 0 || !tryAsk()) schedule();
  }

  /** Implements {@code cancel}. */
  void cancel() {
    if (requests.isCancelled() || over) return; // ASY-08
    requests.cancel();
    schedule();
  }

  /** Notes that the feed received an item that cannot be sent. */
  void itemFailed(Throwable why) {
    requests.fail(why);
    signal();
  }

  /**
   * Notes that a task's data could not be provided. The consumer has its error number, and receives the rest through
   * {@code on_error} (ASY-18).
   */
  void extractFailed(Throwable why) {
    requests.fail(why);
    if (!over) schedule();
  }

  // ---- run by one thread at a time ----

  @Override
  boolean step() {
    if (over) {
      feed.discard();
      return true;
    }
    if (!announced) {
      announced = true;
      if (!isInterrupted() && !announce()) return true;
    }
    while (!isInterrupted()) {
      feed.demand(requests.demanded());
      if (feed.isDry() && !awaitSource()) return false;
      TaskExport task = sent < requests.demanded() ? feed.poll() : null;
      if (task == null) break;
      if (!send(task)) return true;
    }
    boolean isFinished = !isInterrupted() && feed.isFinished();
    Throwable why = requests.fault();
    if (why != null) {
      fail(why);
    } else if (requests.isCancelled()) {
      stop(null); // ASY-09
    } else if (isFinished && feed.failure() != null) {
      fail(feed.failure());
    } else if (isFinished) {
      complete();
    }
    return true;
  }

  @Override
  boolean ask() {
    try {
      return feed.ask(requests.demanded());
    } catch (Throwable t) {
      requests.fail(t); // a publisher's request threw; the consumer's call must not throw it
      return false;
    }
  }

  @Override
  void pull() {
    feed.pull();
  }

  @Override
  boolean isInterrupted() {
    return requests.isCancelled() || requests.fault() != null;
  }

  @Override
  void stepFailed(Throwable t) {
    if (over) {
      Faults.report("ending a stream", t);
    } else {
      fail(t); // a publisher's request or cancel threw
    }
  }

  @Override
  void executorFailed(Throwable t) {
    requests.fail(new DeviceException(Errno.ECANCELED, "the producer's executor rejected the stream's work: " + t, t));
  }

  /** Passes the schema to the consumer. Returns false if that ended the stream. */
  private boolean announce() {
    try {
      SchemaExport.exportSchema(schema.schema().asField(), block.schema());
    } catch (Throwable t) {
      fail(t); // ASY-25
      return false;
    }
    int code = handler.onSchema(block.schema());
    SchemaImporter.giveBack(block.schema()); // if the consumer did not
    if (code != 0) {
      refused("on_schema", code);
      return false;
    }
    try {
      feed.start(this);
    } catch (Throwable t) {
      requests.fail(t);
    }
    return true;
  }

  /** Announces a task, which the consumer then owns. Returns false if that ended the stream. */
  private boolean send(TaskExport task) {
    long metadata;
    try {
      metadata = block.writeTaskMetadata(task.checkedMetadata());
      task.announce(block.task());
    } catch (Throwable t) {
      task.drop();
      fail(t);
      return false;
    }
    sent++;
    int code = handler.onNextTask(block.task(), metadata);
    if (code == 0) return true;
    task.discard();
    refused("on_next_task", code);
    return false;
  }

  /** Returns the check of the stream's arrays. An array that does not fit is an error. */
  StreamCheck check() {
    return check;
  }

  private void complete() {
    int code = handler.onNextTask(0, 0);
    if (code == 0) {
      stop(null);
    } else {
      refused("on_next_task, at the end,", code);
    }
  }

  private void fail(Throwable why) {
    handler.onError(why);
    stop(why);
  }

  /** Ends the stream, because the consumer rejected it: only release is called (ASY-11). */
  private void refused(String call, int code) {
    stop(new DeviceException(code, "the consumer's " + call + " returned " + Errno.name(code) + " (" + code + ")"));
  }

  /** Stops the feed and releases the handler. */
  private void stop(@Nullable Throwable why) {
    over = true;
    feed.letGo();
    handler.release();
    if (why != null || requests.isCancelled()) holders.discardTasks();
    holders.leave();
    if (why == null) {
      done.complete(null);
    } else {
      done.completeExceptionally(why);
    }
  }

  ProducerHolders holders() {
    return holders;
  }

  /** Describes the approximate current state. No thread waits for this. */
  void describe(Recording.OfStreams streams) {
    if (announced)
      streams.describe(block.producer(), "producer", holders.waiting(),
          over ? 0 : Math.max(0, requests.demanded() - sent));
  }

  @Override
  public Kind heldAs() {
    return Kind.PRODUCER;
  }
}
