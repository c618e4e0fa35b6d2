// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.jspecify.annotations.Nullable;

/**
 * A call that gives something back, waits for devices, and is made while none has work; or when too many wait for that.
 * One that is refused is made again in later idle periods: for as long as it takes where the device cannot tell, else
 * some times (DEV-26).
 */
public final class IdleTask implements IdlePeriod.Steps {
  private static final int TRIES = 10;

  /** So many may wait for an idle period: other processes may be unable to free memory until they are made. */
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
   * Has a call made. Does not block.
   *
   * @param ended is told, on a thread of ours that runs other people's code, that it was made; or with what it failed
   *     for good
   */
  public static void run(Runnable call, Consumer<@Nullable DeviceException> ended) {
    Worker.RELEASES.start();
    WAITING.incrementAndGet();
    IdlePeriod.await(new IdleTask(call, ended));
  }

  /** Whether no idle period is to be waited for any more. */
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
    } catch (RuntimeException | Error e) { // a defect, which is reported, and not tried again
      WAITING.decrementAndGet();
      throw e;
    }
    DeviceException last = failure;
    WAITING.decrementAndGet();
    Worker.RELEASES.submit(() -> ended.accept(last));
    return true;
  }
}
