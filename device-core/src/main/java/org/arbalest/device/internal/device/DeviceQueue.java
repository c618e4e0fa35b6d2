// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.staging.Place;
import org.arbalest.device.internal.staging.Staging;
import org.arbalest.device.internal.staging.Transfer;
import org.arbalest.device.spi.DeviceDriver;
import org.jspecify.annotations.Nullable;

/** A queue of a device's runtime, and who uses it: its handle, and calls that are under way. */
public final class DeviceQueue extends Shared {
  /** What becomes of the runtime's queue in the end. */
  enum Kind {
    OWN,
    /** A device's default, which lives as long as the process and is not counted. */
    DEFAULT,
    /** Somebody else's. */
    BORROWED
  }

  final Device device;
  public final DeviceDriver driver;
  public final long handle;
  private final Kind kind;
  private final @Nullable Staging staging;

  /** Whether others can queue work here: they have the handle. */
  private volatile boolean isOthersToo;

  /** Whether something that is not ours was to be waited for since the queue was last seen idle. */
  private volatile boolean waits;

  /** Ours that are open. Of somebody else's that was never given back, nobody knows whether it is still there. */
  private static final Set<DeviceQueue> OPEN = ConcurrentHashMap.newKeySet();

  DeviceQueue(Device device, DeviceDriver driver, long handle, Kind kind) {
    this.device = device;
    this.driver = driver;
    this.handle = handle;
    this.kind = kind;
    this.staging = DeviceImpl.unwrap(device).staging();
    this.isOthersToo = kind == Kind.BORROWED;
    if (kind == Kind.OWN) Counts.QUEUES.increment();
    if (kind != Kind.BORROWED) OPEN.add(this);
  }

  /** Whether no queue of ours has work. One whose device cannot be asked has failed, and does nothing any more. */
  static boolean areAllIdle() {
    for (DeviceQueue queue : OPEN) {
      if (!queue.tryRetain()) continue;
      try {
        if (queue.isCaptured() || !queue.driver.isIdle(queue.handle)) return false;
      } catch (DeviceException _) {
        // it counts as idle
      } finally {
        queue.release();
      }
    }
    return true;
  }

  /** Somebody gets the handle. */
  void giveHandle() {
    isOthersToo = true;
  }

  /** Whether others capture it, who have its handle; asking it anything else would invalidate that. */
  boolean isCaptured() {
    return isOthersToo && driver.isCaptured(handle);
  }

  /**
   * Refuses a queue that is captured: a graph would use memory again that nobody holds then, and no event says when it
   * is over (DEV-60).
   */
  void requireNoCapture() {
    if (!isCaptured()) return;
    String help =
        ": what is queued would go into a graph, which uses memory again when nobody holds it any more; use another "
            + "stream, or come back after the capture";
    throw new IllegalStateException(
        "the stream 0x" + Long.toHexString(handle) + " of " + device + " is being captured" + help);
  }

  /** What is queued from now on waits for something of which nobody knows what it writes. */
  void noteWait() {
    waits = true;
  }

  /**
   * Whether main memory has now what it will have when the queue comes to what is queued next, as far as work of others
   * goes: there is none, or it is done.
   */
  boolean isOthersWorkDone() {
    if (!isOthersToo && !waits) return true;
    boolean wasWaiting = waits;
    if (wasWaiting) waits = false; // before it is asked: a wait that comes meanwhile counts
    boolean isIdle = driver.isIdle(handle);
    if (wasWaiting && !isIdle) waits = true;
    return isIdle;
  }

  /** Copies that are queued together, by {@link #queue}; the caller releases it. */
  public Transfer transfer() {
    return new Transfer(driver, staging, handle);
  }

  /**
   * Queues a transfer, and an event behind it, which the caller releases. If this throws, nothing in a queue uses its
   * memory any more; or that cannot be told now, and it is held until nothing does.
   *
   * @param used the memory, which the caller holds
   */
  public RecordedEvent queue(Transfer transfer, boolean isReady, boolean mayFillGaps, Shared... used) {
    try {
      RecordedEvent end = RecordedEvent.record(device, driver, () -> transfer.queue(isReady, mayFillGaps));
      transfer.endAt(end.point.handle(), end);
      return end;
    } catch (Throwable t) {
      giveUp(transfer, used);
      throw t;
    }
  }

  /**
   * Queues a transfer from the device, and waits for it; when this returns, or throws, its memory is as {@link #queue}
   * has it when it throws.
   */
  public void await(Transfer transfer, Shared... used) {
    RecordedEvent end = queue(transfer, false, false, used);
    try {
      SyncEventImpl.synchronize(end.point, end);
    } catch (Throwable t) {
      giveUp(transfer, used); // who waits in vain for the event may not free the memory
      throw t;
    } finally {
      end.release();
    }
  }

  private void giveUp(Transfer transfer, Shared... used) {
    Shared[] held = Arrays.copyOf(used, used.length + 1);
    held[used.length] = transfer;
    AbandonedWork.await(this, transfer.queues(), held);
  }

  /** By way of what a transfer goes; null if the queue copies from and to everywhere by itself. */
  public @Nullable Staging staging() {
    return staging;
  }

  /** Where memory of a device is, as this queue's device sees it. */
  public Place place(Device other) {
    if (staging == null) return Place.DEVICE;
    DeviceImpl its = DeviceImpl.unwrap(other);
    if (!device.equals(other) && !driver.reaches(other.type(), its.ordinal())) return staging.pageable();
    if (staging.isPinned(other.type())) return Place.PINNED;
    return its.ordinal() == DeviceImpl.unwrap(device).ordinal() ? Place.DEVICE : Place.PEER;
  }

  @Override
  protected void free() {
    OPEN.remove(this);
    if (kind != Kind.OWN) return;
    Counts.QUEUES.decrement();
    try {
      driver.destroyQueue(handle);
    } catch (Throwable t) {
      Faults.report("destroying a queue of " + device, t);
    }
  }
}
