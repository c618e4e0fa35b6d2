// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.spi.DeviceDriver;

/**
 * An event, as the address of the memory cell that contains its handle (DEV-03), and the known state of that event.
 * Another object keeps both alive.
 */
public final class EventPoint {
  public final Device device;
  private final DeviceDriver driver;

  /** The address of the cell with the handle, which is the value of a {@code sync_event}. */
  public final long cell;

  /** Whether the library recorded the event. Such an event is not part of a graph. */
  private final boolean isRecordedHere;

  // Both flags are set under this object's monitor, and at most one of them is set.
  private volatile boolean done;

  /**
   * Whether the event was recorded in a graph. This flag stays set, because HIP reports it only once. HIP's later
   * answers may be about an earlier recording, or about none.
   */
  private volatile boolean captured;

  /** Creates the point of an event that other code recorded. */
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

  /** Returns whether completion has already been seen. Does not query the driver. */
  public boolean isKnownDone() {
    return done;
  }

  /**
   * Returns whether the event has completed. Throws if it failed. Nothing reports completion of an event that was
   * recorded in a graph, so this returns false for it.
   */
  boolean isReady() {
    if (done || captured) return done;
    synchronized (this) { // a concurrent second query would get a different answer
      if (done || captured) return done;
      switch (driver.ask(handle())) {
        case DONE -> done = true;
        case CAPTURED -> captured = !isRecordedHere;
        default -> {} // not completed, or the driver does not know
      }
      return done;
    }
  }

  /** Notes that another part of the library received the answer that the event was recorded in a graph. */
  synchronized void markCaptured() {
    captured = !isRecordedHere && !done;
  }

  private synchronized void markDone() {
    done = !captured;
  }

  /**
   * Returns whether the caller has to wait for the event, because it has not completed. Queries the driver at most
   * once.
   *
   * @throws DeviceException if the event failed, or if it was recorded in a graph. Such an event never reports
   *     completion, and a queue that waits for it becomes part of the capture (DEV-60).
   */
  boolean isPending() {
    if (isReady()) return false;
    if (!captured) return true;
    String help =
        ": it never completes, and a stream that waits for it becomes part of the graph; wait for an event that is "
            + "recorded after the graph's launch";
    throw DeviceException.invalid("the event 0x" + Long.toHexString(handle()) + " of " + device
        + " was recorded in a stream that was being captured" + help);
  }

  /**
   * Returns whether completion is seen. A failed query says nothing about the work before the event, which may still
   * use its memory (DEV-19).
   */
  public boolean isSeenDone() {
    try {
      return isReady();
    } catch (RuntimeException _) {
      return false;
    }
  }

  /** Blocks this thread until the event has completed. Throws if it failed. */
  public void synchronize() {
    if (done) return;
    driver.synchronizeEvent(handle());
    markDone();
  }

  /**
   * Makes a queue wait for the event, on the device if possible. Otherwise this thread blocks. The keeper keeps the
   * event alive.
   */
  void letWait(DeviceDriver waiting, Device itsDevice, long queue, Shared keeper) {
    if (!isPending()) return;
    if (itsDevice.equals(device) || waiting.reaches(device.type(), DeviceImpl.unwrap(device).ordinal())) {
      waiting.waitFor(queue, handle());
    } else {
      SyncEventImpl.synchronize(this, keeper); // two runtimes that do not know each other
    }
  }

  void onComplete(Wait wait) {
    driver.onComplete(handle(), wait);
  }
}
