// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.Validation;
import org.arbalest.device.async.AsyncQuirk;
import org.arbalest.device.async.AsyncSchema;
import org.arbalest.device.internal.abi.RawArrowAsyncTask;
import org.arbalest.device.internal.lifetime.HeldByC;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.internal.recording.Recording;
import org.arbalest.device.internal.schema.CommonField;
import org.arbalest.device.internal.schema.MetadataCodec;
import org.arbalest.device.internal.schema.SchemaImporter;
import org.arbalest.device.internal.stream.Failures;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Metadata;
import org.jspecify.annotations.Nullable;

/**
 * A handler that a C producer holds: takes its callbacks, and tells the subscriber's side.
 *
 * <p>Callbacks are serialised by the producer (ASY-19).
 */
public final class AsyncHandler implements HeldByC {
  /** What is to be announced, if anything is expected. */
  private final @Nullable Field expected;

  /** How closely extracted arrays are looked at. */
  final Validation level;

  private final Set<AsyncQuirk> quirks;
  private final HandlerBlock block;
  final CompletableFuture<AsyncSchema> schema = new CompletableFuture<>();
  final CompletableFuture<Void> released = new CompletableFuture<>();

  /** Null before on_schema, which is where the producer's struct is complete (ASY-01). */
  private volatile @Nullable ForeignProducer producer;

  private @Nullable AsyncSchema announced;

  /**
   * Whether the producer has ended the stream, or was told by a non-zero answer that we did; only release may follow.
   */
  private volatile boolean over;

  /** {@code extract_data} of the last task. */
  private MemorySegment extractFunction = MemorySegment.NULL;

  /** What the producer failed with. */
  private volatile @Nullable Throwable failure;

  private volatile boolean extractFailed;

  /** Whether any callback came. */
  private volatile boolean called;

  /** The subscriber's side. */
  final TaskSubscription subscription = new TaskSubscription(this);

  AsyncHandler(@Nullable Field expected, Validation level, Set<AsyncQuirk> quirks) {
    this.expected = expected;
    this.level = level;
    this.quirks = quirks;
    if (has(AsyncQuirk.PRODUCER_ENDS_EARLY) && has(AsyncQuirk.PRODUCER_STAYS)) {
      throw new IllegalArgumentException(
          "a producer either ends early or stays: PRODUCER_ENDS_EARLY or PRODUCER_STAYS");
    }
    RecordedStreams.begin();
    block = new HandlerBlock(this);
  }

  /** Memory of ours that {@link #release} frees. */
  long struct() {
    return block.struct();
  }

  boolean has(AsyncQuirk quirk) {
    return quirks.contains(quirk);
  }

  /** Whether a producer has this handler, as far as one can see. */
  boolean isTaken() {
    return called || over || block.producer() != 0;
  }

  // ---- what the producer calls ----

  /** Whose handler a producer calls; null if it was released. */
  static @Nullable AsyncHandler find(long handler) {
    return Slots.find(HandlerBlock.handle(handler)) instanceof AsyncHandler found ? found : null;
  }

  /** {@code on_schema}; releases the schema whatever happens (ASY-03). */
  int onSchema(long schemaStruct) {
    called = true;
    try {
      if (over || producer != null) {
        SchemaImporter.giveBack(schemaStruct);
        throw DeviceException.invalid(over ? "on_schema came after the end of the stream" : "on_schema came twice");
      }
      Field field = SchemaImporter.importSchema(schemaStruct);
      if (expected != null) CommonField.checkExpected(expected, field);
      long peer = block.producer();
      if (peer == 0) throw DeviceException.invalid("on_schema came before the handler's producer was set");
      AsyncSchema found = ProducerWords.schema(peer, field, quirks);
      announced = found;
      producer = new ForeignProducer(peer, ProducerWords.endsEarly(peer, quirks), subscription);
      schema.complete(found);
    } catch (Throwable t) {
      return refuse(t);
    }
    pinned();
    Throwable why = failure;
    return why == null ? 0 : Failures.errno(why);
  }

  /** {@code on_next_task}: a task that is answered with an error stays the producer's. */
  int onNextTask(long task, long metadata) {
    if (over) {
      endCalls();
      return Errno.EINVAL;
    }
    ForeignProducer from = producer;
    AsyncSchema type = announced;
    if (from == null || type == null) return refuse(DeviceException.invalid("on_next_task came before on_schema"));
    if (task == 0) {
      end(null);
      return 0;
    }
    ImportedTask taken;
    try {
      long extractData = RawArrowAsyncTask.extractData(task);
      if (extractData == 0) throw DeviceException.invalid("a task's extract_data is NULL");
      Metadata said = metadata == 0 ? Metadata.empty() : MetadataCodec.read(metadata);
      taken = new ImportedTask(this, type, extractFunction(extractData), RawArrowAsyncTask.privateData(task), said);
    } catch (Throwable t) {
      return refuse(t);
    }
    from.deliver();
    subscription.give(taken);
    pinned();
    return 0;
  }

  /** A function to call: the same as for the last task, mostly. By callbacks only. */
  private MemorySegment extractFunction(long address) {
    if (extractFunction.address() != address) extractFunction = MemorySegment.ofAddress(address);
    return extractFunction;
  }

  /** Ends the stream with an error that only we know of; the answer makes the producer release. */
  private int refuse(Throwable why) {
    if (!over) fail(why);
    return Failures.errno(why);
  }

  /** {@code on_error}. */
  void onError(int code, long message, long metadata, @Nullable Throwable cause) {
    called = true;
    if (over) { // what Arrow C++ calls after a refusal (ASY-11)
      endCalls();
      return;
    }
    if (subscription.isDiscarding() && !extractFailed) {
      end(null); // what Arrow C++ makes of a cancellation (ASY-09), or what nobody waits for any more
      return;
    }
    fail(ProducerWords.error(code, message, metadata, cause));
  }

  private void fail(Throwable why) {
    failure = why;
    end(why);
  }

  /** The producer's end: nothing but release may come, and the producer is not called any more (ASY-20). */
  private void end(@Nullable Throwable why) {
    over = true;
    endCalls();
    if (why != null) schema.completeExceptionally(why);
    subscription.end(why);
  }

  /** The producer is not called from now on, and no call is under way. */
  private void endCalls() {
    ForeignProducer from = producer;
    if (from != null) from.end();
  }

  /** {@code release}: the last call; frees the handler. */
  void release() {
    endCalls();
    if (!over && !subscription.isDiscarding()) {
      fail(new DeviceException(Errno.EIO, "the producer released the handler without an end or an error")); // ASY-14
    } else if (!over) {
      end(null);
    }
    schema.completeExceptionally(new CancellationException("the stream was cancelled before its schema came"));
    block.free();
    Throwable why = failure;
    if (why == null) {
      released.complete(null);
    } else {
      released.completeExceptionally(why);
    }
  }

  // ---- what the subscriber's side calls ----

  /** Nothing is wanted any more. */
  void cancel() {
    ForeignProducer from = producer;
    if (from == null) return; // on_schema will see to it
    try {
      from.cancel();
    } catch (Throwable t) {
      becomeUnreachable(t);
    }
  }

  /**
   * Inside a callback, or with a task that nobody else can extract, what waits for the producer goes out:
   * {@link ForeignProducer#pinned}.
   */
  void pinned() {
    ForeignProducer from = producer;
    if (from == null) return;
    boolean isToBeCancelled;
    do {
      isToBeCancelled = false;
      try {
        from.pinned();
      } catch (Throwable t) {
        isToBeCancelled = becomeUnreachable(t);
      }
    } while (isToBeCancelled);
  }

  /**
   * A call to the producer failed on our side (ASY-30): nobody may wait for what it would have led to. What still comes
   * is refused.
   *
   * @return whether this is news
   */
  private boolean becomeUnreachable(Throwable t) {
    if (over) {
      Faults.report("calling the producer of a stream that is over", t);
      return false;
    }
    DeviceException why =
        new DeviceException(Failures.errno(t), "the stream's producer could not be called: " + t.getMessage(), t);
    failure = why;
    over = true;
    subscription.abandon(why);
    released.completeExceptionally(why);
    return true;
  }

  // ---- what tasks call ----

  /** What the producer reports next is why (ASY-18), also if the stream is cancelled meanwhile. */
  void extractFailed() {
    extractFailed = true;
  }

  /** As it is at this moment, more or less: nothing is held up for it. */
  void describe(Recording.OfStreams streams) {
    if (producer != null) streams.describe(struct(), "consumer", subscription.queued(), subscription.missing());
  }

  @Override
  public Kind heldAs() {
    return Kind.HANDLER;
  }
}
