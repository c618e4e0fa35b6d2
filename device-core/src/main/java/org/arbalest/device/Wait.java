package org.arbalest.device;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.spi.Completion;
import org.jspecify.annotations.Nullable;

/** Somebody who is told when an event is over. The event is held until then; the action runs on a thread of ours, exactly once. */
final class Wait implements Completion, Runnable {
  private final EventPoint point;
  private final Shared keeper;
  private final Worker worker;
  private final Consumer<@Nullable DeviceException> action;
  private final AtomicBoolean told = new AtomicBoolean();
  private final long tag;

  private Wait(EventPoint point, Shared keeper, Worker worker, Consumer<@Nullable DeviceException> action) {
    this.point = point;
    this.keeper = keeper;
    this.worker = worker;
    this.action = action;
    this.tag = Slots.take(this);
  }

  /**
   * Runs an action when an event is over.
   *
   * @param keeper what holds the event
   * @param worker on whose thread
   * @param action gets what the event failed with, or null
   * @throws DeviceException if nobody can be told; the action is not run then
   */
  static void on(EventPoint point, Shared keeper, Worker worker, Consumer<@Nullable DeviceException> action) {
    worker.start();
    if (keeper instanceof Ownership) Worker.RELEASES.start();
    Wait wait = new Wait(point, keeper, worker, action);
    keeper.retain();
    Ledger.WAITS.increment();
    try {
      point.onComplete(wait);
    } catch (Throwable t) {
      if (wait.told.compareAndSet(false, true)) {
        wait.leave();
        Ledger.WAITS.decrement();
        throw t;
      }
    }
  }

  /** From C; a tag that is not known any more has been told. */
  static void told(long userData) {
    if (Slots.find(userData) instanceof Wait wait) wait.complete();
  }

  @Override
  public void complete() {
    if (told.compareAndSet(false, true)) worker.submit(this);
  }

  @Override
  public void run() {
    DeviceException failure = failure();
    leave();
    try {
      action.accept(failure);
    } finally {
      Ledger.WAITS.decrement();
    }
  }

  private @Nullable DeviceException failure() {
    try {
      point.isDone();
      return null;
    } catch (DeviceException e) {
      return e;
    } catch (Throwable t) {
      return new DeviceException(Errno.EIO, "asking for an event of " + point.device + " failed: " + t, t);
    }
  }

  private void leave() {
    Slots.leave(tag);
    if (keeper instanceof Ownership && worker == Worker.EVENTS) {
      Ledger.WAITS.increment();
      Worker.RELEASES.submit(this::releaseKeeper);
    } else {
      keeper.release();
    }
  }

  /** May run a producer's release callback. */
  private void releaseKeeper() {
    try {
      keeper.release();
    } finally {
      Ledger.WAITS.decrement();
    }
  }

  @Override
  public long userData() {
    return tag;
  }

  @Override
  public long hostFunction() {
    return Callbacks.HOST_FUNCTION;
  }

  @Override
  public long eventCallback() {
    return Callbacks.EVENT_CALLBACK;
  }
}
