// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.async;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.arbalest.device.async.AsyncArrayStream;
import org.arbalest.device.async.AsyncTask;
import org.arbalest.device.c.CData;
import org.arbalest.device.c.CImport;
import org.arbalest.device.internal.abi.RawArrowAsyncHandler;
import org.arbalest.device.internal.abi.RawArrowAsyncProducer;
import org.arbalest.device.internal.abi.RawArrowAsyncTask;
import org.arbalest.device.internal.abi.RawArrowSchema;
import org.arbalest.device.internal.calls.Calls;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.SchemaExport;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** A subscriber of the library and a C producer that work at the same time. */
public class AsyncStress {
  private static final ConcurrentHashMap<Long, Stream> STREAMS = new ConcurrentHashMap<>();
  private static final long REQUEST = stub("request", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
  private static final long CANCEL = stub("cancel", FunctionDescriptor.ofVoid(JAVA_LONG));
  private static final long EXTRACT = stub("extract", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
  private static final Field FIELD = Field.of("", new NestedType.StructType(java.util.List.of()));

  private static long stub(String name, FunctionDescriptor type) {
    try {
      var target = MethodHandles.lookup().findStatic(AsyncStress.class, name, type.toMethodType());
      return Linker.nativeLinker().upcallStub(target, type, Arena.global()).address();
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  static void request(long producer, long n) {
    called(producer);
  }

  static void cancel(long producer) {
    called(producer);
  }

  private static void called(long producer) {
    Stream stream = STREAMS.get(producer);
    if (stream == null || stream.gone) AFTER_END.incrementAndGet();
  }

  static int extract(long task, long out) {
    Stream stream = STREAMS.get(RawArrowAsyncTask.privateData(task));
    if (stream != null) stream.extracted.incrementAndGet();
    return 5; // there is no data
  }

  private static final AtomicInteger AFTER_END = new AtomicInteger();

  /** A stream that has received its schema, with a subscriber that has requested nothing. */
  private static final class Stream implements Flow.Subscriber<AsyncTask> {
    private final long producer =
        NativeHeap.allocate(RawArrowAsyncProducer.SIZE + RawArrowAsyncTask.SIZE + RawArrowSchema.SIZE + 8);
    private final AtomicInteger extracted = new AtomicInteger();
    private volatile int completions;
    private volatile int signals;
    private volatile boolean gone;
    private Flow.Subscription subscription;
    private long handler;
    private final int before = AFTER_END.get();

    Stream() {
      STREAMS.put(producer, this);
      AsyncArrayStream arrays =
          CData.importAsyncStream(CImport.DEVICE, h -> {
            handler = h.address();
            NativeHeap.fill(producer, RawArrowAsyncProducer.SIZE + 8, (byte) 0);
            RawArrowAsyncProducer.setDeviceType(producer, 1);
            RawArrowAsyncProducer.setRequest(producer, REQUEST);
            RawArrowAsyncProducer.setCancel(producer, CANCEL);
            RawArrowAsyncHandler.setProducer(handler, producer);
          });
      arrays.subscribe(this);
      long schema = task() + RawArrowAsyncTask.SIZE;
      SchemaExport.exportSchema(FIELD, schema);
      Calls.get(RawArrowAsyncHandler.onSchema(handler), handler, schema);
    }

    private long task() {
      return producer + RawArrowAsyncProducer.SIZE + 8;
    }

    void give() {
      RawArrowAsyncTask.setExtractData(task(), EXTRACT);
      RawArrowAsyncTask.setPrivateData(task(), producer);
      Calls.onNextTask(RawArrowAsyncHandler.onNextTask(handler), handler, task(), 0);
    }

    void end() {
      Calls.onNextTask(RawArrowAsyncHandler.onNextTask(handler), handler, 0, 0);
      gone = true;
    }

    /** Releases the stream, and returns how often the producer was called after its end. */
    int released() {
      Calls.release(RawArrowAsyncHandler.release(handler), handler);
      STREAMS.remove(producer);
      NativeHeap.free(producer);
      return AFTER_END.get() - before;
    }

    @Override
    public void onSubscribe(Flow.Subscription s) {
      subscription = s;
    }

    @Override
    public void onNext(AsyncTask task) {
      signals++;
      task.close();
    }

    @Override
    public void onError(Throwable t) {
      completions++;
    }

    @Override
    public void onComplete() {
      completions++;
    }
  }

  /**
   * A request while the stream ends. The producer is not called after its last callback has returned, and the
   * subscriber receives one end.
   */
  @JCStressTest
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "no late call, one end")
  @Outcome(expect = FORBIDDEN, desc = "a late call to the producer, or not exactly one end")
  @State
  public static class RequestWhileEnded {
    private final Stream stream = new Stream();

    @Actor
    public void subscriber() {
      stream.subscription.request(3);
    }

    @Actor
    public void producer() {
      stream.end();
    }

    @Arbiter
    public void look(II_Result r) {
      r.r1 = stream.released();
      r.r2 = stream.completions;
    }
  }

  /** A cancellation while the stream ends. */
  @JCStressTest
  @Outcome(id = {"0, 0", "0, 1"}, expect = ACCEPTABLE, desc = "no late call, at most one end")
  @Outcome(expect = FORBIDDEN, desc = "a late call to the producer, or two ends")
  @State
  public static class CancelWhileEnded {
    private final Stream stream = new Stream();

    @Actor
    public void subscriber() {
      stream.subscription.cancel();
    }

    @Actor
    public void producer() {
      stream.end();
    }

    @Arbiter
    public void look(II_Result r) {
      r.r1 = stream.released();
      r.r2 = stream.completions;
    }
  }

  /** A cancellation while a task arrives: the subscriber or the library extracts the task once. */
  @JCStressTest
  @Outcome(id = {"1, 0, 0", "1, 1, 0"}, expect = ACCEPTABLE, desc = "one extraction, signalled or not")
  @Outcome(expect = FORBIDDEN, desc = "a task that is lost or extracted twice, or a late call")
  @State
  public static class CancelWhileGiven {
    private final Stream stream = new Stream();

    public CancelWhileGiven() {
      stream.subscription.request(1);
    }

    @Actor
    public void subscriber() {
      stream.subscription.cancel();
    }

    @Actor
    public void producer() {
      stream.give();
    }

    @Arbiter
    public void look(III_Result r) {
      stream.end();
      r.r3 = stream.released();
      r.r1 = stream.extracted.get();
      r.r2 = stream.signals;
    }
  }

  /** A request while a task arrives: the task is signalled once. */
  @JCStressTest
  @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "signalled and extracted once")
  @Outcome(expect = FORBIDDEN, desc = "a task that is never signalled, or signalled twice")
  @State
  public static class RequestWhileGiven {
    private final Stream stream = new Stream();

    @Actor
    public void subscriber() {
      stream.subscription.request(1);
    }

    @Actor
    public void producer() {
      stream.give();
    }

    @Arbiter
    public void look(III_Result r) {
      r.r1 = stream.extracted.get();
      r.r2 = stream.signals;
      stream.end();
      r.r3 = stream.released();
    }
  }
}
