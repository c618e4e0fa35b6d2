// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.arbalest.device.internal.exit.ExitAction;
import org.arbalest.device.internal.exit.ExitGuard;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.spi.HostTask;
import org.jspecify.annotations.Nullable;

/**
 * Copies within main memory that a queue has done when it comes to them. To be ended, when the queue is past them or
 * will never get there.
 *
 * <p>The thread that does them is the driver's, and takes no lock (DEV-62).
 */
final class HostJob implements HostTask {
  private static final long HOST_FUNCTION = stub("hostFunction", FunctionDescriptor.ofVoid(JAVA_LONG));
  private static final long STREAM_CALLBACK =
      stub("streamCallback", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG));

  /** Freed when the job is done or given up. */
  private final CopyList pieces;

  /** All targets and what lies between them: whoever reads there does so in order, which is never wrong. */
  private PendingWrites.@Nullable Range writes;

  private final long handle;

  /** Who does it, or gives it up, is the one that gets from the first state to another. */
  private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);

  /** Who waits in {@link #end}. */
  private volatile @Nullable Thread waiting;

  private enum State {
    QUEUED,
    RUNNING,
    OVER
  }

  /** Takes the pieces over: the list is empty then, before anybody can queue the job. */
  HostJob(CopyList pieces) {
    HostCopies.prepare(pieces.total());
    this.handle = Slots.take(this);
    this.pieces = pieces.move();
    state.set(State.QUEUED); // publishes what was set here to the thread that gets it from there
  }

  /** Says that the targets are memory which others may copy from. To be called before it is queued. */
  void announceWrites() {
    long begin = Long.MAX_VALUE;
    long end = 0;
    for (int i = 0; i < pieces.count(); i++) {
      begin = Math.min(begin, pieces.to(i));
      end = Math.max(end, pieces.to(i) + pieces.bytes(i));
    }
    writes = PendingWrites.add(begin, end);
    state.set(State.QUEUED); // likewise
  }

  @Override
  public void run() {
    if (!state.compareAndSet(State.QUEUED, State.RUNNING)) return;
    try {
      HostCopies.copy(pieces, pieces.total());
    } finally {
      try {
        leave();
      } finally {
        state.set(State.OVER);
        LockSupport.unpark(waiting);
      }
    }
  }

  /** Gives it up if it was not done; if a thread is about to, waits for that. */
  void end() {
    if (state.compareAndSet(State.QUEUED, State.OVER)) {
      leave();
    } else {
      awaitOver();
    }
    Slots.leave(handle);
  }

  private void awaitOver() {
    boolean interrupted = false;
    waiting = Thread.currentThread();
    while (state.get() != State.OVER) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted(); // it writes yet
    }
    if (interrupted) Thread.currentThread().interrupt();
  }

  private void leave() {
    if (writes != null) PendingWrites.remove(writes);
    pieces.free();
  }

  @Override
  public long userData() {
    return handle;
  }

  @Override
  public long hostFunction() {
    return HOST_FUNCTION;
  }

  @Override
  public long streamCallback() {
    return STREAM_CALLBACK;
  }

  private static long stub(String method, FunctionDescriptor type) {
    return ExitGuard.stub(MethodHandles.lookup(), method, type, ExitAction.NOTHING);
  }

  /** From C; a handle that is not known any more has been given up. */
  private static void hostFunction(long userData) {
    try {
      if (Slots.find(userData) instanceof HostJob job) job.run();
    } catch (Throwable t) {
      Faults.report("copying by way of pinned memory", t);
    }
  }

  @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // what has failed, the queue's events say
  private static void streamCallback(long stream, int status, long userData) {
    hostFunction(userData);
  }
}
