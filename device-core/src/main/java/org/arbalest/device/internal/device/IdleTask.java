// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.jspecify.annotations.Nullable;

/**
 * A call that releases a resource and waits for devices. It runs in an idle period, or earlier if too many such calls
 * wait.
 *
 * <p>A call that the driver rejects runs again in later idle periods: without a limit if the device cannot answer,
 * otherwise a limited number of times (DEV-26).
 */
public final class IdleTask implements IdlePeriod.Steps {
  private static final int TRIES = 10;

  /** The limit of waiting calls. Other processes may be unable to free memory before the calls are made. */
  private static final int MOST_WAITING = 64;

  private static final AtomicInteger WAITING = new AtomicInteger();

  private final Runnable call;
  private final Consumer<@Nullable DeviceException> ended;
  private int tries;

  private IdleTask(Runnable call, Consumer<@Nullable DeviceException> ended) {
    this.call = call;
    this.ended = ended;
  }

  /**
   * Defers a call to an idle period. Does not block.
   *
   * @param ended invoked after the call completes, on the worker thread that runs callbacks of other libraries;
   *     receives the failure after the last try, or null
   */
  public static void run(Runnable call, Consumer<@Nullable DeviceException> ended) {
    Worker.RELEASES.start();
    WAITING.incrementAndGet();
    IdlePeriod.await(new IdleTask(call, ended));
  }

  /** Returns whether too many calls wait, so that they run without an idle period. */
  static boolean isPressing() {
    return WAITING.get() > MOST_WAITING;
  }

  @Override
  public boolean next() {
    DeviceException failure = null;
    try {
      call.run();
    } catch (DeviceException e) {
      if (e.errno() == Errno.EAGAIN) throw e;
      if (++tries < TRIES)
        throw new DeviceException(Errno.EAGAIN, "tried again in another idle period: " + e.getMessage(), e);
      failure = e;
    } catch (RuntimeException | Error e) { // a defect: it is reported, and the call is not repeated
      WAITING.decrementAndGet();
      throw e;
    }
    DeviceException last = failure;
    WAITING.decrementAndGet();
    Worker.RELEASES.submit(() -> ended.accept(last));
    return true;
  }
}
