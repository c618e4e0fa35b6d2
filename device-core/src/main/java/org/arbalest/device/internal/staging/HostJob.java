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
 * A task that copies within main memory when a queue reaches it. The owner ends it when the queue has completed it or
 * will never reach it.
 *
 * <p>The thread that runs it belongs to the driver, and takes no lock (DEV-62).
 */
final class HostJob implements HostTask {
  private static final long HOST_FUNCTION = stub("hostFunction", FunctionDescriptor.ofVoid(JAVA_LONG));
  private static final long STREAM_CALLBACK =
      stub("streamCallback", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG));

  /** Freed when the job is done or given up. */
  private final CopyList pieces;

  /**
   * The range from the first to the last target, with the gaps between them. A reader in that range copies in the order
   * of its queue, which is always correct.
   */
  private PendingWrites.@Nullable Range writes;

  private final long handle;

  /** The thread that changes the first state to another one does the job or gives it up. */
  private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);

  /** The thread that waits in {@link #end}. */
  private volatile @Nullable Thread waiting;

  private enum State {
    QUEUED,
    RUNNING,
    OVER
  }

  /** Takes over the pieces. The list is empty before any caller can queue the job. */
  HostJob(CopyList pieces) {
    HostCopies.prepare(pieces.total());
    this.handle = Slots.take(this);
    this.pieces = pieces.move();
    state.set(State.QUEUED); // publishes the fields that were set here to the thread that changes this state
  }

  /**
   * Announces that the targets are memory that other transfers may copy from. The caller calls this before the job is
   * queued.
   */
  void announceWrites() {
    long begin = Long.MAX_VALUE;
    long end = 0;
    for (int i = 0; i < pieces.count(); i++) {
      begin = Math.min(begin, pieces.to(i));
      end = Math.max(end, pieces.to(i) + pieces.bytes(i));
    }
    writes = PendingWrites.add(begin, end);
    state.set(State.QUEUED); // publishes the field in the same way
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

  /** Gives the job up if it has not started. If a thread is running it, blocks until it is done. */
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
      interrupted |= Thread.interrupted(); // the other thread still writes
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

  /** Runs the job, called from native code. A handle that is no longer known belongs to a job that was given up. */
  private static void hostFunction(long userData) {
    try {
      if (Slots.find(userData) instanceof HostJob job) job.run();
    } catch (Throwable t) {
      Faults.report("copying by way of pinned memory", t);
    }
  }

  @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // the queue's events report a failure
  private static void streamCallback(long stream, int status, long userData) {
    hostFunction(userData);
  }
}
