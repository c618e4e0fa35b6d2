package org.arbalest.device;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A point in a {@link DeviceStream}: completes when all that was queued before it is done, or fails with it. A CUDA or HIP event, a {@code
 * cl_event}.
 *
 * <p>Recorded by {@link DeviceStream#record}, or an array's own ({@link DeviceArray#syncEvent}). A handle is closed by whoever got it;
 * closing twice does nothing, and neither waits nor stops the work. All methods are safe on any thread.
 */
public final class SyncEvent implements AutoCloseable {
  private final EventPoint point;
  private final AtomicReference<@Nullable Shared> keeper;
  private final Leaks.@Nullable Watch watch;

  /** A handle that takes over a holder of the event. */
  SyncEvent(EventPoint point, Shared keeper) {
    this.point = point;
    this.keeper = new AtomicReference<>(keeper);
    this.watch = Leaks.ENABLED ? Leaks.watch(this) : null;
    if (watch != null) watch.opened();
  }

  /** The device in whose queue it is. */
  public Device device() {
    return point.device;
  }

  /** The runtime's handle, or 0 if there was nothing to wait for. Borrowed: it can be used while this is open. */
  public long handle() {
    return with(_ -> point.handle());
  }

  /**
   * Whether the work is done; does not wait.
   *
   * @throws DeviceException with what the work failed with
   */
  public boolean isDone() {
    if (point.isKnownDone()) return true;
    Shared held = hold();
    try {
      return point.isDone();
    } finally {
      held.release();
    }
  }

  /**
   * Blocks until the work is done. A virtual thread gives up its carrier meanwhile. Not interruptible.
   *
   * @throws DeviceException with what the work failed with
   */
  public void synchronize() {
    Shared held = hold();
    try {
      synchronize(point, held);
    } finally {
      held.release();
    }
  }

  /**
   * Blocks until the work is done, or for some time.
   *
   * @return false if the time was over first; the work goes on
   * @throws DeviceException with what the work failed with
   */
  public boolean synchronize(Duration limit) throws InterruptedException {
    Objects.requireNonNull(limit, "limit");
    Shared held = hold();
    try {
      return synchronize(point, held, limit);
    } finally {
      held.release();
    }
  }

  /**
   * Completes when the work is done, or with the {@link DeviceException} that it failed with; no thread waits. The handle may be closed
   * meanwhile. Dependents without an executor of their own run on a thread that all of them share, and must not block it. Cancelling the
   * future gives up the wait, not the work.
   */
  public CompletionStage<@Nullable Void> completion() {
    return with(held -> completion(point, held));
  }

  /** Gives up this handle. */
  @Override
  public void close() {
    Shared held = keeper.getAndSet(null);
    if (held == null) return;
    if (watch != null) watch.closed();
    held.release();
  }

  EventPoint point() {
    return point;
  }

  /** One holder more, to be released by the caller; so that closing on another thread does not take the event away. */
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

  static void synchronize(EventPoint point, Shared keeper) {
    if (point.isDone()) return;
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
    if (point.isDone()) return true;
    try {
      completion(point, keeper).get(Math.max(0, nanos(limit)), java.util.concurrent.TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException _) {
      return false;
    } catch (ExecutionException e) {
      throw again(e.getCause());
    }
  }

  static CompletableFuture<@Nullable Void> completion(EventPoint point, Shared keeper) {
    CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
    try {
      if (point.isDone()) {
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

  /** The same failure, with the stack of the thread that waited as well. */
  private static RuntimeException again(@Nullable Throwable cause) {
    if (cause instanceof DeviceException e) return new DeviceException(e.errno(), String.valueOf(e.getMessage()), e, e.metadata());
    return new IllegalStateException("waiting for an event failed", cause);
  }

  private static long nanos(Duration limit) {
    try {
      return limit.toNanos();
    } catch (ArithmeticException _) {
      return limit.isNegative() ? 0 : Long.MAX_VALUE;
    }
  }

  /** The device and the handle. */
  @Override
  public String toString() {
    return "event of " + point.device + (keeper.get() == null ? " (closed)" : "");
  }
}
