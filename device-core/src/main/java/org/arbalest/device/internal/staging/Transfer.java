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
 * Copies that go into a queue together, and do not depend on each other. Those that the device can do go there as one
 * batch. Those from and to pageable memory go by way of {@link Staging}, none of which makes the caller wait for the
 * device:
 *
 * <ul>
 *   <li>on the way in the caller fills slots, with the help of a few threads, small pieces together; the device takes
 *       one while the next is filled. Only what a queued copy has yet to write is filled by the queue, when it comes to
 *       that;
 *   <li>on the way out the queue has the CPU empty the slots; for large copies two lanes do, so that the device fills
 *       one while another is emptied;
 *   <li>within main memory the queue has the CPU copy.
 * </ul>
 *
 * When a queue has used up all slots, the caller waits for the oldest of its own; when all are in use by others, the
 * runtime is left to copy in its own way. Nothing ever waits for another queue.
 *
 * <p>To be held until the queue is past all of it, or will never be: the last to leave gives back what it took.
 */
public final class Transfer extends Shared {
  /** Where pieces begin in a slot; a multiple of it for arrays' buffers, and what may lie between those. */
  private static final long ALIGNMENT = 64;

  /** So many slots are filled, or emptied, for each time that the device gets to know: calls have their price. */
  private static final int AT_ONCE = 2;

  /** The most bytes of a job within main memory: host functions of all streams may go one after the other. */
  private static final long AT_ONCE_ON_HOST = 16 << 20;

  /** From so many slots on the way out goes by lanes. */
  private static final int LANES_FROM = 3;

  /** So many slots lanes take in turn. */
  private static final int IN_LANES = 6;

  private final DeviceDriver driver;
  private final @Nullable Staging staging;
  private final long queue;

  /**
   * What is added, apart by how it goes; freed when all is queued. The device's own copies from and to slots come to
   * the first.
   */
  private final CopyList direct = new CopyList();

  private final CopyList in = new CopyList();
  private final CopyList out = new CopyList();
  private final CopyList within = new CopyList();

  /** What is held to the end. */
  private final List<SlotGroup> groups = new ArrayList<>(1);

  private final List<HostJob> jobs = new ArrayList<>(1);
  private Staging.@Nullable Lanes lanes;

  /** The slots of the round that is being filled. */
  private @Nullable SlotGroup round;

  /** A transfer of nothing yet. */
  public Transfer(DeviceDriver driver, @Nullable Staging staging, long queue) {
    this.driver = driver;
    this.staging = staging;
    this.queue = queue;
  }

  /** Adds a piece; not an empty one. Both addresses stay valid until the queue is past it. */
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
   * Queues all of it, once. If this throws, some of it may be in its {@link #queues}.
   *
   * @return an event at the end of it, as {@link DeviceDriver#record} returns one; the caller's
   * @param isReady whether what comes from main memory is there now; if not, it is read when the queue comes to it
   * @param mayFillGaps whether what lies between two targets, if it is less than 64 bytes, may be overwritten
   */
  public long queue(boolean isReady, boolean mayFillGaps) {
    try {
      if (!within.isEmpty()) queueWithin();
      if (!in.isEmpty()) queueIn(isReady && !PendingWrites.touch(in), mayFillGaps ? ALIGNMENT : 0);
      if (!out.isEmpty()) queueOut();
      long event = direct.isEmpty() ? driver.record(queue) : driver.copyAndRecord(queue, direct);
      endRound(false); // not before: who waits for the queue takes the slots
      return event;
    } finally {
      freeLists();
    }
  }

  /**
   * The transfer, all of which is queued, ends at the event that {@link #queue} has returned.
   *
   * @param holder keeps the event
   */
  public void endAt(long event, Shared holder) {
    for (SlotGroup group : groups) group.endAt(event, holder);
  }

  /** The queues that it goes by, as far as it has come. */
  public long[] queues() {
    return lanes == null ? new long[] {queue} : new long[] {queue, lanes.copies(), lanes.tasks()};
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

  /** Fills slots, at once or when the queue comes to that. */
  private void queueIn(boolean atOnce, long slack) {
    StagingSlots slots = slots(in.total() + ALIGNMENT * in.count());
    CopyList fills = new CopyList();
    try {
      long slot = 0;
      long used = 0;
      long end = 0; // of the target that was last
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

  /** Has the slot filled that is laid out; the list is empty then. */
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
   * All slots are in use by other queues. The runtime may read pageable memory at once, whatever its queue has yet to
   * do.
   */
  private void copyInByRuntime(boolean atOnce, long to, long from, long bytes) {
    copyByRuntime(!atOnce, to, from, bytes);
  }

  /** In a call that waits for what is in the queue, and would hold a virtual thread's carrier: that waits before. */
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
      if (!empties.isEmpty()) submit(empties); // the end of the transfer is that of the round
    } finally {
      empties.free();
    }
  }

  /** Queues the device's copies into slots, and that these are emptied; the list is empty then. */
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
   * False if there are no lanes, or too few slots, free now. Only for an idle queue: a lane that waited for it would
   * take up one of the hardware connections that all streams share (DEV-25).
   */
  private boolean queueOutByLanes() {
    Staging with = staging();
    StagingSlots slots = with.large;
    SlotGroup ring = new SlotGroup(driver, slots, queue);
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
    if (direct.count() == 1 && !direct.isBetweenDevices()) {
      driver.copy(queue, direct.to(0), direct.from(0), direct.bytes(0));
    } else if (!direct.isEmpty()) {
      driver.copy(queue, direct);
    }
    direct.clear();
  }

  /** A slot of the round; 0 if others use all. Before the round would be too long it ends. */
  private long take(StagingSlots slots) {
    if (isFull(round)) {
      submitDirect();
      endRound(true);
    }
    long slot = slots.take(queue);
    if (slot == 0) return 0;
    if (round == null) {
      round = new SlotGroup(driver, slots, queue);
      groups.add(round);
    }
    round.add(slot);
    return slot;
  }

  private static boolean isFull(@Nullable SlotGroup round) {
    return round != null && round.count() >= AT_ONCE;
  }

  /** All that uses the round's slots is queued. */
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

  /** A job that is ended with the transfer; takes the pieces over. */
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
