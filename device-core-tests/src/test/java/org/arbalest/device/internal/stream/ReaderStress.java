// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.stream;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.arbalest.device.DeviceArrayReader;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.RecordBatchReader;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** A reader's source, which threads pull, close, cancel and hand on at once. */
public class ReaderStress {
  /** A source that counts its closes, and the calls that come at the wrong time. */
  private static final class Counted implements DeviceArrayReader.Source<RecordBatch> {
    private final AtomicInteger closes = new AtomicInteger();
    private final AtomicInteger cancels = new AtomicInteger();
    private final AtomicInteger wrong = new AtomicInteger();
    private volatile boolean isPulled;

    @Override
    public @Nullable RecordBatch next() {
      isPulled = true;
      if (closes.get() > 0) wrong.incrementAndGet();
      isPulled = false;
      return null;
    }

    @Override
    public boolean select(int... columns) {
      if (closes.get() > 0) wrong.incrementAndGet();
      return true;
    }

    @Override
    public void cancel() {
      cancels.incrementAndGet();
      if (closes.get() > 0) wrong.incrementAndGet();
    }

    @Override
    public void close() {
      if (isPulled) wrong.incrementAndGet();
      closes.incrementAndGet();
    }

    /** Returns the number of closes, or −1 after a call at the wrong time. */
    int closes() {
      return wrong.get() > 0 ? -1 : closes.get();
    }
  }

  private static void pull(GuardedSource<RecordBatch> guarded) {
    guarded.lock();
    try {
      if (guarded.isOpen()) guarded.next();
    } catch (Exception e) {
      throw new AssertionError("the source throws nothing", e);
    } finally {
      guarded.unlock();
    }
  }

  /** A close during a pull: the source is closed once, not during the pull, and not cancelled after its close. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "closed once, by one of the two threads")
  @Outcome(expect = FORBIDDEN, desc = "never closed, closed twice or during the pull, or cancelled after the close")
  @State
  public static class CloseWhilePulled {
    private final Counted source = new Counted();
    private final GuardedSource<RecordBatch> guarded = new GuardedSource<>(source, new ReentrantLock(), null);

    public CloseWhilePulled() {
      guarded.begin();
    }

    @Actor
    public void pull() {
      ReaderStress.pull(guarded);
    }

    @Actor
    public void close() {
      guarded.close();
    }

    @Arbiter
    public void look(I_Result r) {
      r.r1 = source.closes();
    }
  }

  /** Two closes during a pull close the source once. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "closed once, by one of the three threads")
  @Outcome(expect = FORBIDDEN, desc = "never closed, closed twice or during the pull, or cancelled after the close")
  @State
  public static class CloseTwiceWhilePulled {
    private final Counted source = new Counted();
    private final GuardedSource<RecordBatch> guarded = new GuardedSource<>(source, new ReentrantLock(), null);

    public CloseTwiceWhilePulled() {
      guarded.begin();
    }

    @Actor
    public void pull() {
      ReaderStress.pull(guarded);
    }

    @Actor
    public void one() {
      guarded.close();
    }

    @Actor
    public void other() {
      guarded.close();
    }

    @Arbiter
    public void look(I_Result r) {
      r.r1 = source.closes();
    }
  }

  /** A close while the source is handed on: either an heir has the open source, or the source is closed. */
  @JCStressTest
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the heir has the source, and closes it")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "closed before it was handed on")
  @Outcome(expect = FORBIDDEN, desc = "the heir's source is closed or cancelled, or no object closes it")
  @State
  public static class CloseWhileHandedOn {
    private final Counted source = new Counted();
    private final GuardedSource<RecordBatch> guarded = new GuardedSource<>(source, new ReentrantLock(), null);
    private @Nullable GuardedSource<RecordBatch> heir;

    public CloseWhileHandedOn() {
      guarded.begin();
    }

    @Actor
    public void handOn() {
      guarded.lock();
      try {
        guarded.checkMayHandOn();
        GuardedSource<RecordBatch> made = guarded.heir(null);
        guarded.handOn("a test", made);
        heir = made;
      } catch (IllegalStateException _) {
        // the other thread has closed it
      } finally {
        guarded.unlock();
      }
    }

    @Actor
    public void close() {
      guarded.close();
    }

    @Arbiter
    public void look(II_Result r) {
      r.r1 = heir != null && source.cancels.get() > 0 ? -1 : source.closes();
      if (heir != null) heir.close();
      r.r2 = source.closes();
    }
  }

  /** Of two threads that consume a reader, one has the source. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "one heir, which closes the source")
  @Outcome(expect = FORBIDDEN, desc = "two heirs or none, or a source that stays open")
  @State
  public static class HandOnTwice {
    private static final Schema SCHEMA = Schema.of(Field.of("n", DataType.INT64));
    private final Counted source = new Counted();
    private final RecordBatchReader reader = RecordBatchReader.of(SCHEMA, source);
    private @Nullable RecordBatchReader one;
    private @Nullable RecordBatchReader other;

    @Actor
    public void one() {
      try {
        one = reader.rebatch(1);
      } catch (IllegalStateException _) {
        // the other thread has consumed it
      }
    }

    @Actor
    public void other() {
      try {
        other = reader.pushDownNulls();
      } catch (IllegalStateException _) {
        // the other thread has consumed it
      }
    }

    @Arbiter
    public void look(II_Result r) {
      r.r1 = (one == null ? 0 : 1) + (other == null ? 0 : 1);
      if (one != null) one.close();
      if (other != null) other.close();
      r.r2 = source.closes();
    }
  }

  /** A cancel while {@code rebatch} asks its reader for fewer columns: the close that follows reaches the source. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "closed once")
  @Outcome(expect = FORBIDDEN, desc = "never closed, closed twice, or called after the close")
  @State
  public static class SelectWhileCancelled {
    private static final Schema SCHEMA = Schema.of(Field.of("n", DataType.INT64), Field.of("m", DataType.INT64));
    private final Counted source = new Counted();
    private final RebatchedSource<RecordBatch> rebatched =
        new RebatchedSource<>(RecordBatchReader.of(SCHEMA, source), 1);

    @Actor
    public void select() {
      try {
        rebatched.select(1);
      } catch (IllegalStateException _) {
        // cancelled before: the reader is closed
      }
    }

    @Actor
    public void cancel() {
      rebatched.cancel();
    }

    @Arbiter
    public void look(I_Result r) {
      rebatched.close();
      r.r1 = source.closes();
    }
  }
}
