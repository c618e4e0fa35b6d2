// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import java.util.Arrays;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.spi.DeviceDriver;
import org.jspecify.annotations.Nullable;

/**
 * Slots that a queue uses up to the same point. Held by the transfer that took them, and by who waits for that point.
 */
final class SlotGroup extends Shared {
  private final DeviceDriver driver;
  private final StagingSlots owner;
  final long queue;
  private long[] addresses = new long[2];
  private int count;

  /** At the end of what uses the slots; 0 until there is one. */
  private volatile long event;

  /** Who holds the event; null if the group does. */
  private @Nullable Shared eventHolder;

  /** Guarded by the owner: whether the slots were given back. */
  boolean isGivenBack;

  SlotGroup(DeviceDriver driver, StagingSlots owner, long queue) {
    this.driver = driver;
    this.owner = owner;
    this.queue = queue;
  }

  void add(long slot) {
    if (count == addresses.length) addresses = Arrays.copyOf(addresses, 2 * count);
    addresses[count++] = slot;
  }

  int count() {
    return count;
  }

  long address(int index) {
    return addresses[index];
  }

  /**
   * All that uses the slots is in the queue now, or about to be.
   *
   * @param isMarked whether it is there, and more is to come: then one can wait for just this
   */
  void use(boolean isMarked) {
    if (isMarked) event = driver.record(queue);
    owner.use(this);
  }

  /**
   * What uses the slots has ended at an event of somebody else's, if not before. From then on nobody asks the queue,
   * whose handle may be another's when it was destroyed.
   */
  void endAt(long end, Shared holder) {
    if (event != 0 || end == 0) return;
    holder.retain();
    eventHolder = holder;
    event = end;
  }

  /** Whether the queue is known to have come to the point, without a wait. */
  boolean isOver() {
    if (event == 0) return false;
    try {
      return driver.isReady(event);
    } catch (RuntimeException _) {
      return false; // who holds the transfer gets to know
    }
  }

  /** Waits until the queue has come to the point. */
  void await() {
    if (event == 0) {
      QueueWait.forAll(driver, queue); // which is still there: it is being queued to
    } else {
      QueueWait.forEvent(driver, event);
    }
  }

  /** The queue has come to the point, or never will. */
  @Override
  protected void free() {
    owner.giveBack(this);
    if (event == 0) return;
    try {
      if (eventHolder == null) driver.destroyEvent(event);
      else eventHolder.release();
    } catch (Throwable t) {
      Faults.report("destroying an event of a copy by way of pinned memory", t);
    }
  }
}
