// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.staging;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.spi.DeviceDriver;
import org.jspecify.annotations.Nullable;

/**
 * Copies that go into a queue together and do not depend on each other. The copies that the device can do itself are
 * queued as one batch. Copies from and to pageable memory go through {@link Staging}, and the caller does not wait for
 * the device:
 *
 * <ul>
 *   <li>To the device: the caller fills slots, with the help of a few threads, and packs small pieces together. The
 *       device copies one slot while the caller fills the next. Only memory that a queued copy has not written yet is
 *       copied into the slot later, when the queue reaches that point.
 *   <li>From the device: the queue makes the CPU empty the slots. Large copies use two lanes, so that the device fills
 *       one slot while the CPU empties another.
 *   <li>Within main memory: the queue makes the CPU copy.
 * </ul>
 *
 * When a queue has used all slots, the caller waits for the oldest slots of its own queue. If other queues use all
 * slots, the runtime copies in its own way. No transfer ever waits for another queue.
 *
 * <p>The owner keeps a reference until the queue has completed all copies or will never do them. The release of the
 * last reference returns the slots and lanes.
 */
public final class Transfer extends Shared {
  /**
   * The alignment of pieces in a slot, in bytes. Arrays' buffers are at multiples of it, and a gap
   * between two of them is smaller.
   */
  private static final long ALIGNMENT = 64;

  /** The number of slots that are filled or emptied in one call to the device, because each call has a cost. */
  private static final int AT_ONCE = 2;

  /**
   * The maximum size in bytes of a job within main memory. The runtime may run the host functions of all streams one
   * after the other.
   */
  private static final long AT_ONCE_ON_HOST = 16 << 20;

  /** From this number of slots on, a copy from the device uses lanes. */
  private static final int LANES_FROM = 3;

  /** The maximum number of slots that lanes use in rotation. */
  private static final int IN_LANES = 6;

  private final DeviceDriver driver;
  private final @Nullable Staging staging;
  private final long queue;

  /** Identifies the queue among those of the device. A handle may be another queue on each thread. */
  private final long number;

  /**
   * The added copies, one list for each way. The lists are freed when all copies are queued. The device's own copies
   * from and to slots are also added to the first list.
   */
  private final CopyList direct = new CopyList();

  private final CopyList in = new CopyList();
  private final CopyList out = new CopyList();
  private final CopyList within = new CopyList();

  /** Kept until this transfer is freed. */
  private final List<SlotGroup> groups = new ArrayList<>(1);

  private final List<HostJob> jobs = new ArrayList<>(1);
  private Staging.@Nullable Lanes lanes;

  /** The slots of the round that is being filled. */
  private @Nullable SlotGroup round;

  /**
   * Creates an empty transfer. The same thread queues it: the handle may be another queue on each thread.
   *
   * @param number identifies the queue among those of the device
   */
  public Transfer(DeviceDriver driver, @Nullable Staging staging, long queue, long number) {
    this.driver = driver;
    this.staging = staging;
    this.queue = queue;
    this.number = number;
  }

  /** Adds a piece, which must not be empty. Both addresses must stay valid until the queue has completed the copy. */
  public void add(Place to, long target, Place from, long source, long bytes) {
    list(to, from).add(target, source, bytes);
    if ((to == Place.PEER && !from.isHost()) || (from == Place.PEER && !to.isHost())) direct.noteBetweenDevices();
  }

  private CopyList list(Place to, Place from) {
    if (staging == null) return direct;
    if (to.isHost() && from.isHost()) return within;
    if (from == Place.PAGEABLE) return in;
    return to == Place.PAGEABLE ? out : direct;
  }

  /**
   * Queues all copies. May be called once. If this throws, the queue and the lanes may have some of the copies.
   *
   * @return an event at the end of the copies, as {@link DeviceDriver#record} returns it; the caller owns it
   * @param isReady whether the source data in main memory is available now; if not, it is read when the queue reaches
   *     the copy
   * @param mayFillGaps whether the gap between two targets may be overwritten if it is less than 64 bytes
   */
  public long queue(boolean isReady, boolean mayFillGaps) {
    try {
      if (!within.isEmpty()) queueWithin();
      if (!in.isEmpty()) queueIn(isReady && !PendingWrites.touch(in), mayFillGaps ? ALIGNMENT : 0);
      if (!out.isEmpty()) queueOut();
      long event = direct.isEmpty() ? driver.record(queue) : driver.copyAndRecord(queue, direct);
      endRound(false); // not earlier: a caller that waits for the queue then reuses the slots
      return event;
    } finally {
      freeLists();
    }
  }

  /**
   * Sets the event at which the transfer ends. All copies must be queued. The event is the one that {@link #queue}
   * returned.
   *
   * @param holder keeps the event alive
   */
  public void endAt(long event, Shared holder) {
    for (SlotGroup group : groups) group.endAt(event, holder);
  }

  /** Returns the library's own queues that the transfer also uses, as far as it has been queued. */
  public long[] lanes() {
    return lanes == null ? new long[0] : new long[] {lanes.copies(), lanes.tasks()};
  }

  private void freeLists() {
    direct.free();
    in.free();
    out.free();
    within.free();
  }

  private void queueWithin() {
    CopyList part = new CopyList();
    try {
      for (int i = 0; i < within.count(); i++) {
        for (long done = 0; done < within.bytes(i);) {
          if (part.total() == AT_ONCE_ON_HOST) run(queue, job(part, true));
          long bytes = Math.min(within.bytes(i) - done, AT_ONCE_ON_HOST - part.total());
          part.add(within.to(i) + done, within.from(i) + done, bytes);
          done += bytes;
        }
      }
      run(queue, job(part, true));
    } finally {
      part.free();
    }
  }

  /** Fills slots, now or when the queue reaches the copy. */
  private void queueIn(boolean atOnce, long slack) {
    StagingSlots slots = slots(in.total() + ALIGNMENT * in.count());
    CopyList fills = new CopyList();
    try {
      long slot = 0;
      long used = 0;
      long end = 0; // the end of the last target
      for (int i = 0; i < in.count(); i++) {
        long done = 0;
        while (done < in.bytes(i)) {
          if (used == slots.size || slot == 0) {
            if (slot != 0) fill(fills, atOnce);
            used = 0;
            slot = take(slots);
            if (slot == 0) break;
          }
          long to = in.to(i) + done;
          long gap = to - end;
          boolean follows = used > 0 && gap >= 0 && gap < Math.max(slack, 1) && used + gap < slots.size;
          long at = follows ? used + gap : (used + ALIGNMENT - 1) & -ALIGNMENT;
          if (at == slots.size) {
            used = slots.size;
            continue;
          }
          long bytes = Math.min(in.bytes(i) - done, slots.size - at);
          fills.add(slot + at, in.from(i) + done, bytes);
          if (follows) {
            NativeHeap.fill(slot + used, gap, (byte) 0);
            direct.extend(gap + bytes);
          } else {
            direct.add(to, slot + at, bytes);
          }
          done += bytes;
          used = at + bytes;
          end = to + bytes;
        }
        if (slot == 0) copyInByRuntime(atOnce, in.to(i) + done, in.from(i) + done, in.bytes(i) - done);
      }
      if (!fills.isEmpty()) fill(fills, atOnce);
    } finally {
      fills.free();
    }
  }

  /** Fills the slot whose layout is complete. The list is empty when this returns. */
  private void fill(CopyList fills, boolean atOnce) {
    if (atOnce) {
      HostCopies.prepare(fills.total());
      HostCopies.copy(fills, fills.total());
      fills.clear();
    } else {
      run(queue, job(fills, false));
    }
  }

  /**
   * Makes the runtime copy, because other queues use all slots. The runtime may read pageable memory at once, before
   * the earlier work of its queue has completed.
   */
  private void copyInByRuntime(boolean atOnce, long to, long from, long bytes) {
    copyByRuntime(!atOnce, to, from, bytes);
  }

  /**
   * Makes the runtime copy. The call waits for the work in the queue, which would pin a virtual thread to its carrier
   * thread. Therefore a virtual thread waits before the call.
   */
  private void copyByRuntime(boolean waitsBefore, long to, long from, long bytes) {
    if (waitsBefore || Thread.currentThread().isVirtual()) QueueWait.forAll(driver, queue);
    driver.copy(queue, to, from, bytes);
  }

  private void queueOut() {
    StagingSlots slots = slots(out.total());
    if (out.total() > (LANES_FROM - 1) * slots.size && driver.isIdle(queue) && queueOutByLanes()) return;
    CopyList empties = new CopyList();
    try {
      long slot = 0;
      long used = 0;
      for (int i = 0; i < out.count(); i++) {
        long done = 0;
        while (done < out.bytes(i)) {
          if (slot == 0 || used == slots.size) {
            if (slot != 0 && isFull(round)) {
              submit(empties);
              endRound(true);
            }
            used = 0;
            slot = take(slots);
            if (slot == 0) break;
          }
          long bytes = Math.min(out.bytes(i) - done, slots.size - used);
          direct.add(slot + used, out.from(i) + done, bytes);
          empties.add(out.to(i) + done, slot + used, bytes);
          done += bytes;
          used += bytes;
        }
        if (slot == 0) copyByRuntime(false, out.to(i) + done, out.from(i) + done, out.bytes(i) - done);
      }
      if (!empties.isEmpty()) submit(empties); // the end of the transfer is the end of the round
    } finally {
      empties.free();
    }
  }

  /** Queues the device's copies into slots, and the job that empties them. The list is empty when this returns. */
  private void submit(CopyList empties) {
    HostJob job = job(empties, true);
    if (direct.isEmpty()) {
      run(queue, job);
    } else {
      driver.copyAndRun(queue, direct, job);
    }
    direct.clear();
  }

  /**
   * Queues the copies from the device in lanes. Returns false if no lanes, or too few slots, are free now.
   *
   * <p>Only for an idle queue: a lane that waited for the queue would occupy one of the hardware connections that all
   * streams share (DEV-25).
   */
  private boolean queueOutByLanes() {
    Staging with = staging();
    StagingSlots slots = with.large;
    SlotGroup ring = new SlotGroup(driver, slots, queue, number);
    groups.add(ring);
    while (ring.count() < IN_LANES && ring.count() * slots.size < out.total()) {
      long slot = slots.tryTake();
      if (slot == 0) break;
      ring.add(slot);
    }
    if (ring.count() >= 2) lanes = with.takeLanes();
    if (lanes == null) {
      groups.remove(ring);
      ring.release();
      return false;
    }
    new DeviceToHostRing(driver, lanes, ring, slots.size).queue(queue, out, this);
    slots.use(ring);
    return true;
  }

  private void submitDirect() {
    if (!direct.isEmpty()) driver.copy(queue, direct);
    direct.clear();
  }

  /** Takes a slot for the round. Returns 0 if other queues use all slots. A full round is ended before. */
  private long take(StagingSlots slots) {
    if (isFull(round)) {
      submitDirect();
      endRound(true);
    }
    long slot = slots.take(number);
    if (slot == 0) return 0;
    if (round == null) {
      round = new SlotGroup(driver, slots, queue, number);
      groups.add(round);
    }
    round.add(slot);
    return slot;
  }

  private static boolean isFull(@Nullable SlotGroup round) {
    return round != null && round.count() >= AT_ONCE;
  }

  /** Ends the round, when all work that uses its slots is queued. */
  private void endRound(boolean isMarked) {
    if (round != null) round.use(isMarked);
    round = null;
  }

  private StagingSlots slots(long bytes) {
    return bytes <= Staging.SMALL ? staging().small : staging().large;
  }

  private Staging staging() {
    return Objects.requireNonNull(staging);
  }

  /** Creates a job that ends with the transfer. Takes over the pieces. */
  HostJob job(CopyList pieces, boolean writes) {
    HostJob job = new HostJob(pieces);
    jobs.add(job);
    if (writes) job.announceWrites();
    return job;
  }

  void run(long where, HostJob job) {
    staging().host.runOnHost(where, job);
  }

  @Override
  protected void free() {
    freeLists();
    for (HostJob job : jobs) job.end();
    for (SlotGroup group : groups) group.release();
    if (lanes != null) staging().giveLanes(lanes);
  }
}
