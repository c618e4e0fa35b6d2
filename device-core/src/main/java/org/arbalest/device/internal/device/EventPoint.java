// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.spi.DeviceDriver;

/**
 * An event, as a place in memory where its handle is (DEV-03), and what is known about it. Somebody else holds both.
 */
public final class EventPoint {
  public final Device device;
  private final DeviceDriver driver;

  /** Where the handle is; what a {@code sync_event} says. */
  public final long cell;

  /** Whether we recorded it, and so not in a graph. */
  private final boolean isRecordedHere;

  // Set under this object's monitor, and one of them at most.
  private volatile boolean done;

  /**
   * Whether it was recorded in a graph. For good, since HIP says so once: what it says then may be of an earlier
   * recording, or of none.
   */
  private volatile boolean captured;

  /** One that others recorded. */
  public EventPoint(Device device, DeviceDriver driver, long cell) {
    this(device, driver, cell, false);
  }

  EventPoint(Device device, DeviceDriver driver, long cell, boolean isRecordedHere) {
    this.device = device;
    this.driver = driver;
    this.cell = cell;
    this.isRecordedHere = isRecordedHere;
    this.done = handle() == 0;
  }

  long handle() {
    return NativeHeap.getLong(cell);
  }

  /** Whether somebody has seen that it has completed; asks nobody. */
  public boolean isKnownDone() {
    return done;
  }

  /** Whether it has completed, which nothing tells of one that was recorded in a graph; throws if it failed. */
  boolean isReady() {
    if (done || captured) return done;
    synchronized (this) { // whoever else asks would be told of something else
      if (done || captured) return done;
      switch (driver.ask(handle())) {
        case DONE -> done = true;
        case CAPTURED -> captured = !isRecordedHere;
        default -> {} // not done, or nobody can tell
      }
      return done;
    }
  }

  /** Somebody else was told that it was recorded in a graph. */
  synchronized void markCaptured() {
    captured = !isRecordedHere && !done;
  }

  private synchronized void markDone() {
    done = !captured;
  }

  /**
   * Whether it is to be waited for, as it has not completed: asked once. Throws if it failed, or was recorded in a
   * graph: then it never tells, and a queue that waits for it becomes part of the capture (DEV-60).
   */
  boolean isPending() {
    if (isReady()) return false;
    if (!captured) return true;
    String help =
        ": it never tells, and a stream that waits for it becomes part of the graph; wait for another, which is "
            + "recorded behind the graph's launch";
    throw DeviceException.invalid("the event 0x" + Long.toHexString(handle()) + " of " + device
        + " was recorded in a stream that was being captured" + help);
  }

  /**
   * Whether it is seen to have completed. A query that fails says nothing of the work before the event, which may still
   * use its memory (DEV-19).
   */
  public boolean isSeenDone() {
    try {
      return isReady();
    } catch (RuntimeException _) {
      return false;
    }
  }

  /** Blocks this thread until it has completed; throws if it failed. */
  public void synchronize() {
    if (done) return;
    driver.synchronizeEvent(handle());
    markDone();
  }

  /** Lets a queue wait, on the device where possible; the keeper holds the event. */
  void letWait(DeviceDriver waiting, Device itsDevice, long queue, Shared keeper) {
    if (!isPending()) return;
    if (itsDevice.equals(device) || waiting.reaches(device.type(), DeviceImpl.unwrap(device).ordinal())) {
      waiting.waitFor(queue, handle());
    } else {
      SyncEventImpl.synchronize(this, keeper); // two runtimes that know nothing of each other
    }
  }

  void onComplete(Wait wait) {
    driver.onComplete(handle(), wait);
  }
}
