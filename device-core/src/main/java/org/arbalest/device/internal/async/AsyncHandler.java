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
 * A handler that a native producer holds. It receives the producer's callbacks and notifies the subscriber's side.
 *
 * <p>The producer serialises its callbacks (ASY-19).
 */
public final class AsyncHandler implements HeldByC {
  /** The expected field, or null if any field is accepted. */
  private final @Nullable Field expected;

  /** The validation of extracted arrays. */
  final Validation level;

  private final Set<AsyncQuirk> quirks;
  private final HandlerBlock block;
  final CompletableFuture<AsyncSchema> schema = new CompletableFuture<>();
  final CompletableFuture<Void> released = new CompletableFuture<>();

  /** Null before on_schema. From then on, the producer's struct is complete (ASY-01). */
  private volatile @Nullable ForeignProducer producer;

  private @Nullable AsyncSchema announced;

  /**
   * Whether the stream is over: the producer ended it, or a non-zero answer notified the producer that the library
   * ended it. Only release may follow.
   */
  private volatile boolean over;

  /** The {@code extract_data} of the last task. */
  private MemorySegment extractFunction = MemorySegment.NULL;

  /** The failure of the stream, or null. */
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

  /** Returns the address of the library's own struct, which {@link #release} frees. */
  long struct() {
    return block.struct();
  }

  boolean has(AsyncQuirk quirk) {
    return quirks.contains(quirk);
  }

  /** Returns whether a producer has taken this handler, as far as the library can see. */
  boolean isTaken() {
    return called || over || block.producer() != 0;
  }

  // ---- called by the producer ----

  /** Returns the handler that a producer calls, or null if it was released. */
  static @Nullable AsyncHandler find(long handler) {
    return Slots.find(HandlerBlock.handle(handler)) instanceof AsyncHandler found ? found : null;
  }

  /** Implements {@code on_schema}. Releases the schema in every case (ASY-03). */
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

  /** Implements {@code on_next_task}. The producer still owns a task that is answered with an error. */
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

  /** Returns a function to call, usually the same as for the last task. Called only by callbacks. */
  private MemorySegment extractFunction(long address) {
    if (extractFunction.address() != address) extractFunction = MemorySegment.ofAddress(address);
    return extractFunction;
  }

  /**
   * Ends the stream with an error that only the library knows. The returned number makes the producer release the
   * handler.
   */
  private int refuse(Throwable why) {
    if (!over) fail(why);
    return Failures.errno(why);
  }

  /** Implements {@code on_error}. */
  void onError(int code, long message, long metadata, @Nullable Throwable cause) {
    called = true;
    if (over) { // Arrow C++ calls on_error after a refusal (ASY-11)
      endCalls();
      return;
    }
    if (subscription.isDiscarding() && !extractFailed) {
      end(null); // Arrow C++ reports a cancellation this way (ASY-09); another error has no receiver any more
      return;
    }
    fail(ProducerWords.error(code, message, metadata, cause));
  }

  private void fail(Throwable why) {
    failure = why;
    end(why);
  }

  /** Ends the stream: only release may come, and the library does not call the producer any more (ASY-20). */
  private void end(@Nullable Throwable why) {
    over = true;
    endCalls();
    if (why != null) schema.completeExceptionally(why);
    subscription.end(why);
  }

  /** Ensures that no call to the producer begins from now on, and that no call is in progress. */
  private void endCalls() {
    ForeignProducer from = producer;
    if (from != null) from.end();
  }

  /** Implements {@code release}, the last call. Frees the handler. */
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

  // ---- called by the subscriber's side ----

  /** Cancels the producer, because nothing more is needed. */
  void cancel() {
    ForeignProducer from = producer;
    if (from == null) return; // on_schema cancels it later
    try {
      from.cancel();
    } catch (Throwable t) {
      becomeUnreachable(t);
    }
  }

  /**
   * Passes the waiting calls to the producer, inside a callback or with a task that no other thread can extract:
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
   * Ends the stream after a call to the producer failed on the library's side (ASY-30). No thread may wait for the
   * results of that call. Later callbacks are rejected.
   *
   * @return whether the stream was not over before
   */
  private boolean becomeUnreachable(Throwable t) {
    if (over) {
      Faults.report("calling the producer of a finished stream", t);
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

  // ---- called by tasks ----

  /**
   * Notes a failed extraction. The producer's next error is its reason (ASY-18), even if the stream is cancelled
   * meanwhile.
   */
  void extractFailed() {
    extractFailed = true;
  }

  /** Describes the approximate current state. No thread waits for this. */
  void describe(Recording.OfStreams streams) {
    if (producer != null) streams.describe(struct(), "consumer", subscription.queued(), subscription.missing());
  }

  @Override
  public Kind heldAs() {
    return Kind.HANDLER;
  }
}
