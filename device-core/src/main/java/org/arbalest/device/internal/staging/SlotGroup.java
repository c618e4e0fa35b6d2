// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import java.util.Arrays;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.spi.DeviceDriver;
import org.jspecify.annotations.Nullable;

/**
 * Slots that a queue uses up to the same point. The transfer that took them holds a reference, and so does each caller
 * that waits for that point.
 */
final class SlotGroup extends Shared {
  private final DeviceDriver driver;
  private final StagingSlots owner;
  private final long queue;

  /** Identifies the queue among those of the device. */
  final long number;

  private long[] addresses = new long[2];
  private int count;

  /** The event at the end of the work that uses the slots, or 0 as long as no event exists. */
  private volatile long event;

  /** The object that keeps the event alive. Null if the group owns the event. */
  private @Nullable Shared eventHolder;

  /** Guarded by the owner's lock: whether the slots were returned to the free ones. */
  boolean isGivenBack;

  SlotGroup(DeviceDriver driver, StagingSlots owner, long queue, long number) {
    this.driver = driver;
    this.owner = owner;
    this.queue = queue;
    this.number = number;
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
   * Adds the group to the used ones. All work that uses the slots is in the queue now, or is about to be.
   *
   * @param isMarked whether all of it is in the queue and more work follows; then an event lets a caller wait for this
   *     point
   */
  void use(boolean isMarked) {
    if (isMarked) event = driver.record(queue);
    owner.use(this);
  }

  /**
   * Sets an event of another owner as the end of the work that uses the slots, unless an event exists already. From
   * then on the queue itself is not queried any more: after its destruction, its handle may belong to another queue.
   */
  void endAt(long end, Shared holder) {
    if (event != 0 || end == 0) return;
    holder.retain();
    eventHolder = holder;
    event = end;
  }

  /** Returns whether the queue is known to have reached the point. Does not block. */
  boolean isOver() {
    if (event == 0) return false;
    try {
      return driver.isReady(event);
    } catch (RuntimeException _) {
      return false; // the owner of the transfer receives the failure
    }
  }

  /** Blocks until the queue has reached the point. */
  void await() {
    if (event == 0) {
      QueueWait.forAll(driver, queue); // the queue still exists, because the caller queues work to it
    } else {
      QueueWait.forEvent(driver, event);
    }
  }

  /** Returns the slots and releases the event. The queue has reached the point, or will never reach it. */
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
