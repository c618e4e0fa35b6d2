// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.exit.ExitAction;
import org.arbalest.device.internal.exit.ExitGuard;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.spi.Completion;
import org.jspecify.annotations.Nullable;

/**
 * A wait for the end of an event. It holds the event until the end and runs the action exactly once, on a worker thread
 * of the library.
 *
 * <p>A notification alone is not enough. If the driver then answers that it does not know the state of the event, the
 * wait queries the event again later. The event is over only when the library sees that it has completed or failed
 * (DEV-24).
 */
public final class Wait implements Completion, Runnable {
  private static final long HOST_FUNCTION = stub("hostFunction", FunctionDescriptor.ofVoid(JAVA_LONG));
  private static final long LONGEST_PAUSE_MILLIS = 1000;
  private static final long EVENT_CALLBACK =
      stub("eventCallback", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_INT, JAVA_LONG));

  private final EventPoint point;
  private final Shared keeper;
  private final Worker worker;
  private final Consumer<@Nullable DeviceException> action;
  private final AtomicBoolean notified = new AtomicBoolean();
  private final long handle;

  /** The pause until the next query, if another query is necessary. */
  private long pauseMillis = 1;

  private Wait(EventPoint point, Shared keeper, Worker worker, Consumer<@Nullable DeviceException> action) {
    this.point = point;
    this.keeper = keeper;
    this.worker = worker;
    this.action = action;
    this.handle = Slots.take(this);
  }

  /**
   * Runs an action when an event is over.
   *
   * @param keeper keeps the event alive; this wait adds its own reference to it
   * @param worker the worker whose thread runs the action
   * @param action receives the failure of the event, or null
   * @throws DeviceException if the driver cannot notify; then the action is not run
   */
  public static void on(EventPoint point, Shared keeper, Worker worker, Consumer<@Nullable DeviceException> action) {
    Wait wait = hold(point, keeper, worker, action);
    try {
      point.onComplete(wait);
    } catch (Throwable t) {
      if (wait.notified.compareAndSet(false, true)) {
        wait.leave();
        Counts.WAITS.decrement();
        throw t;
      }
    }
  }

  /**
   * Runs an action when an event is over, in every case.
   *
   * <p>If the driver cannot notify, this thread blocks until the event is over. If the driver then answers
   * {@code EAGAIN}, which says nothing about the event, the library queries the event repeatedly, with pauses. If
   * blocking fails in another way, no further query can help, and the failure counts as the end (DEV-19).
   *
   * @return why the driver cannot notify; null if the driver notifies
   */
  public static @Nullable Throwable forSure(EventPoint point, Shared keeper, Worker worker, Runnable action) {
    try {
      on(point, keeper, worker, _ -> action.run());
      return null;
    } catch (Throwable t) {
      try {
        point.synchronize();
      } catch (Throwable failed) {
        t.addSuppressed(failed);
        if (failed instanceof DeviceException e && e.errno() == Errno.EAGAIN) {
          hold(point, keeper, worker, _ -> action.run()).askLater();
          return t;
        }
      }
      action.run();
      return t;
    }
  }

  private static Wait hold(EventPoint point, Shared keeper, Worker worker, Consumer<@Nullable DeviceException> action) {
    worker.start();
    if (keeper.callsOut()) Worker.RELEASES.start();
    Wait wait = new Wait(point, keeper, worker, action);
    keeper.retain();
    Counts.WAITS.increment();
    return wait;
  }

  /** Receives a notification from native code. A handle that is no longer known was notified before. */
  public static void notified(long userData) {
    if (Slots.find(userData) instanceof Wait wait) wait.complete();
  }

  @Override
  public void complete() {
    if (notified.compareAndSet(false, true)) worker.submit(this);
  }

  @Override
  public void captured() {
    point.markCaptured();
    complete();
  }

  @Override
  public void run() {
    DeviceException failure = null;
    try {
      if (point.isPending()) {
        askLater();
        return;
      }
    } catch (DeviceException e) {
      failure = e;
    } catch (Throwable t) {
      failure = new DeviceException(Errno.EIO, "querying an event of " + point.device + " failed: " + t, t);
    }
    leave();
    try {
      action.accept(failure);
    } finally {
      Counts.WAITS.decrement();
    }
  }

  private void askLater() {
    notified.set(true);
    long pause = pauseMillis;
    pauseMillis = Math.min(2 * pause, LONGEST_PAUSE_MILLIS); // first: the next query may run on another thread
    CompletableFuture.delayedExecutor(pause, TimeUnit.MILLISECONDS, worker::submit).execute(this);
  }

  private void leave() {
    Slots.leave(handle);
    if (keeper.callsOut() && worker == Worker.EVENTS) {
      Counts.WAITS.increment();
      Worker.RELEASES.submit(this::releaseKeeper);
    } else {
      keeper.release();
    }
  }

  /** Releases the keeper, which may run a producer's release callback. */
  private void releaseKeeper() {
    try {
      keeper.release();
    } finally {
      Counts.WAITS.decrement();
    }
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
  public long eventCallback() {
    return EVENT_CALLBACK;
  }

  private static long stub(String method, FunctionDescriptor type) {
    return ExitGuard.stub(MethodHandles.lookup(), method, type, ExitAction.NOTHING);
  }

  private static void hostFunction(long userData) {
    try {
      notified(userData);
    } catch (Throwable t) {
      Faults.report("notifying that an event has completed", t);
    }
  }

  @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // the library queries the event for its status instead
  private static void eventCallback(long event, int status, long userData) {
    hostFunction(userData);
  }
}
