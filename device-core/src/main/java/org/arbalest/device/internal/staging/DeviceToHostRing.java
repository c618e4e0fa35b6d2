// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import org.arbalest.device.spi.DeviceDriver;

/**
 * A copy from the device through two lanes and a ring of slots. While the CPU empties one slot, the device fills
 * others.
 */
final class DeviceToHostRing {
  private final DeviceDriver driver;
  private final Staging.Lanes lanes;
  private final SlotGroup ring;
  private final long size;

  /** For each slot of the ring, the event at which it is empty again, or 0 if there is no event to wait for. */
  private final long[] emptied;

  private int turn;
  private final CopyList fills = new CopyList();
  private final CopyList empties = new CopyList();
  private long used;

  DeviceToHostRing(DeviceDriver driver, Staging.Lanes lanes, SlotGroup ring, long size) {
    this.driver = driver;
    this.lanes = lanes;
    this.ring = ring;
    this.size = size;
    this.emptied = new long[ring.count()];
  }

  /**
   * Queues the copy in the lanes, after the work that is in the queue now. Makes the queue wait for the end of the
   * copy.
   */
  void queue(long queue, CopyList out, Transfer transfer) {
    try {
      follow(lanes.copies(), queue);
      for (int i = 0; i < out.count(); i++) {
        for (long done = 0; done < out.bytes(i);) {
          if (used == size) turn(transfer);
          long bytes = Math.min(out.bytes(i) - done, size - used);
          long slot = ring.address(turn % ring.count()) + used;
          fills.add(slot, out.from(i) + done, bytes);
          empties.add(out.to(i) + done, slot, bytes);
          used += bytes;
          done += bytes;
        }
      }
      turn(transfer);
      follow(queue, lanes.tasks());
    } finally {
      fills.free();
      empties.free();
      destroy();
    }
  }

  /** Queues the part of the copy that goes through one slot. */
  private void turn(Transfer transfer) {
    int place = turn % ring.count();
    long before = emptied[place];
    if (before != 0) driver.waitFor(lanes.copies(), before);
    driver.copy(lanes.copies(), fills);
    follow(lanes.tasks(), lanes.copies());
    transfer.run(lanes.tasks(), transfer.job(empties, true));
    emptied[place] = 0;
    if (before != 0) driver.destroyEvent(before);
    emptied[place] = driver.record(lanes.tasks());
    fills.clear();
    used = 0;
    turn++;
  }

  /** Makes a queue wait for all work that is in another queue. */
  private void follow(long queue, long other) {
    long event = driver.record(other);
    if (event == 0) return;
    try {
      driver.waitFor(queue, event);
    } finally {
      driver.destroyEvent(event);
    }
  }

  private void destroy() {
    for (int i = 0; i < emptied.length; i++) {
      long event = emptied[i];
      emptied[i] = 0;
      if (event != 0) driver.destroyEvent(event);
    }
  }
}
