// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.SyncEvent;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.recording.Recording;
import org.arbalest.device.spi.DeviceDriver;
import org.jspecify.annotations.Nullable;

/** A handle to an {@link EventPoint} and to the object that keeps the event alive. See {@link SyncEvent}. */
public final class SyncEventImpl implements SyncEvent {
  private final EventPoint point;
  private final AtomicReference<@Nullable Shared> keeper;
  private final Leaks.@Nullable Watch watch;

  /** Creates a handle that takes over one reference to the event from the caller. */
  public SyncEventImpl(EventPoint point, Shared keeper) {
    this.point = point;
    this.keeper = new AtomicReference<>(keeper);
    this.watch = Leaks.isDue() ? Leaks.watch(this, "SyncEvent of " + point.device) : null;
    if (watch != null) watch.opened();
  }

  /** Creates a handle to an event of the application, which the driver has checked. */
  static SyncEvent adopt(Device device, DeviceDriver driver, long handle) {
    RecordedEvent event = RecordedEvent.adopt(device, driver, handle);
    return new SyncEventImpl(event.point, event);
  }

  /** Returns the implementation. Every {@link SyncEvent} is an instance of this class. */
  public static SyncEventImpl unwrap(SyncEvent event) {
    return (SyncEventImpl) event;
  }

  @Override
  public Device device() {
    return point.device;
  }

  @Override
  public long handle() {
    return with(_ -> point.handle());
  }

  @Override
  public boolean isReady() {
    if (point.isKnownDone()) return true;
    Shared held = hold();
    try {
      return point.isReady();
    } finally {
      held.release();
    }
  }

  @Override
  public void synchronize() {
    Shared held = hold();
    try {
      synchronize(point, held);
    } finally {
      held.release();
    }
  }

  @Override
  public boolean synchronize(Duration limit) throws InterruptedException {
    Objects.requireNonNull(limit, "limit");
    Shared held = hold();
    try {
      return synchronize(point, held, limit);
    } finally {
      held.release();
    }
  }

  @Override
  public CompletionStage<@Nullable Void> onReady() {
    return with(held -> completion(point, held));
  }

  @Override
  public void close() {
    Shared held = keeper.getAndSet(null);
    if (held == null) return;
    if (watch != null) watch.closed(this);
    held.release();
  }

  EventPoint point() {
    return point;
  }

  /**
   * Adds one reference to the event, which the caller must release. The reference keeps the event alive if another
   * thread closes this handle.
   */
  Shared hold() {
    Shared held = keeper.get();
    if (held == null || !held.tryRetain()) throw new IllegalStateException("the event was closed");
    return held;
  }

  private <T> T with(Function<Shared, T> action) {
    Shared held = hold();
    try {
      return action.apply(held);
    } finally {
      held.release();
    }
  }

  /**
   * Blocks until an event has completed. A virtual thread blocks on a future instead of inside the driver.
   *
   * @param keeper keeps the event alive; the caller holds a reference to it
   */
  public static void synchronize(EventPoint point, Shared keeper) {
    if (!point.isPending()) return;
    Recording.OfWait event = Recording.aWait();
    try {
      block(point, keeper);
    } finally {
      if (event != null) event.describe("event", point.device);
    }
  }

  private static void block(EventPoint point, Shared keeper) {
    if (!Thread.currentThread().isVirtual()) {
      point.synchronize();
      return;
    }
    try {
      completion(point, keeper).join();
    } catch (CompletionException e) {
      throw again(e.getCause());
    }
  }

  static boolean synchronize(EventPoint point, Shared keeper, Duration limit) throws InterruptedException {
    if (!point.isPending()) return true;
    Recording.OfWait event = Recording.aWait();
    try {
      completion(point, keeper).get(Math.max(0, nanos(limit)), java.util.concurrent.TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException _) {
      return false;
    } catch (ExecutionException e) {
      throw again(e.getCause());
    } finally {
      if (event != null) event.describe("event", point.device);
    }
  }

  static CompletableFuture<@Nullable Void> completion(EventPoint point, Shared keeper) {
    CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
    try {
      if (!point.isPending()) {
        future.complete(null);
      } else {
        Wait.on(point, keeper, Worker.EVENTS, failure -> settle(future, failure));
      }
    } catch (DeviceException e) {
      future.completeExceptionally(e);
    }
    return future;
  }

  private static void settle(CompletableFuture<@Nullable Void> future, @Nullable DeviceException failure) {
    if (failure == null) {
      future.complete(null);
    } else {
      future.completeExceptionally(failure);
    }
  }

  /** Returns the same failure as a new exception, which also has the stack trace of the waiting thread. */
  private static RuntimeException again(@Nullable Throwable cause) {
    if (cause instanceof DeviceException e)
      return new DeviceException(e.errno(), String.valueOf(e.getMessage()), e, e.metadata());
    return new DeviceException(Errno.EIO, "waiting for an event failed: " + cause, cause);
  }

  private static long nanos(Duration limit) {
    try {
      return limit.toNanos();
    } catch (ArithmeticException _) {
      return limit.isNegative() ? 0 : Long.MAX_VALUE;
    }
  }

  /** Returns a text that contains the device and whether the handle is closed. */
  @Override
  public String toString() {
    return "event of " + point.device + (keeper.get() == null ? " (closed)" : "");
  }
}
