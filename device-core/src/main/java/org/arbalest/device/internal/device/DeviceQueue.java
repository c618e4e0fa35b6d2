// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.internal.lifetime.Counts;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.staging.Place;
import org.arbalest.device.internal.staging.Staging;
import org.arbalest.device.internal.staging.Transfer;
import org.arbalest.device.spi.DeviceDriver;
import org.jspecify.annotations.Nullable;

/** A queue of a device's runtime, with one reference for each handle and for each call in progress. */
public final class DeviceQueue extends Shared {
  /** The owner of the runtime's queue, which decides what happens to it in the end. */
  enum Kind {
    OWN,
    /** A device's default, which lives as long as the process and is not counted. */
    DEFAULT,
    /** The queue of an application or another library. */
    BORROWED
  }

  final Device device;
  public final DeviceDriver driver;

  /** Use {@link #handle()}, which rejects a thread on which the handle is another queue. */
  private final long handle;

  /** The thread whose queue the handle is, if it is another queue on each thread (DEV-63). Null for other queues. */
  private final @Nullable Thread thread;

  /** A queue for the threads on which the handle is another one. Its next event is after all work of this queue. */
  private final long handleElsewhere;

  private final Kind kind;
  private final @Nullable Staging staging;

  /** Whether other code can queue work here, because it has the handle. */
  private volatile boolean isOthersToo;

  /** The number of times that the queue had to wait for work of other code. */
  private final AtomicInteger waits = new AtomicInteger();

  /** The number of those waits that had ended when the library last saw the queue idle. */
  private volatile int endedWaits;

  /**
   * The library's own open queues. A borrowed queue is not in this set: the library cannot know whether a borrowed
   * queue that was not closed still exists.
   */
  private static final Set<DeviceQueue> OPEN = ConcurrentHashMap.newKeySet();

  DeviceQueue(Device device, DeviceDriver driver, long handle, Kind kind) {
    this.device = device;
    this.driver = driver;
    this.handle = handle;
    this.handleElsewhere = driver.queueForAnyThread(handle);
    this.thread = handleElsewhere == handle ? null : requirePlatformThread(device, handle);
    this.kind = kind;
    this.staging = DeviceImpl.unwrap(device).staging();
    this.isOthersToo = kind == Kind.BORROWED;
    if (kind == Kind.OWN) Counts.QUEUES.increment();
    if (kind != Kind.BORROWED) OPEN.add(this);
  }

  private static Thread requirePlatformThread(Device device, long handle) {
    Thread thread = Thread.currentThread();
    if (!thread.isVirtual()) return thread;
    throw new IllegalStateException("the stream " + handle + " of " + device
        + " is the default stream of an OS thread, and a virtual thread changes its OS thread; "
        + "call this on a platform thread, or use a stream of your own");
  }

  /** Returns whether the handle is this queue on the calling thread. */
  private boolean isHere() {
    return thread == null || thread.equals(Thread.currentThread());
  }

  /**
   * Returns the runtime's handle, for a call on this thread.
   *
   * @throws IllegalStateException if the handle is another queue on this thread (DEV-63)
   */
  public long handle() {
    requireHere();
    return handle;
  }

  /** Rejects a thread on which the handle is another queue. */
  void requireHere() {
    if (isHere()) return;
    throw new IllegalStateException("the stream " + handle + " of " + device + " is the default stream of the thread "
        + Objects.requireNonNull(thread).getName() + ", and on the thread " + Thread.currentThread().getName()
        + " the same handle is another stream; use it on its own thread, or use a stream of your own");
  }

  /** Returns a number that differs from that of every other queue of the device. It is no handle. */
  private long number() {
    return thread == null ? handle : -thread.threadId(); // an address is not negative
  }

  /** Returns whether the other object is for the same queue of the runtime. */
  boolean isSameAs(DeviceQueue other) {
    return driver.equals(other.driver) && number() == other.number();
  }

  /** Returns whether the queue is the default stream of one thread. */
  boolean isOfOneThread() {
    return thread != null;
  }

  /** Records an event after all work that is in this queue now. Any thread may call this. The caller releases it. */
  RecordedEvent recordEnd() {
    return RecordedEvent.record(device, driver, isHere() ? handle : handleElsewhere);
  }

  /**
   * Blocks until the work in this queue has completed.
   *
   * @throws DeviceException as {@link DeviceDriver#synchronizeQueue}; with {@code EAGAIN} on a thread on which only an
   *     event can answer
   */
  void synchronize() {
    if (isHere()) {
      driver.synchronizeQueue(handle);
      return;
    }
    // If the device has failed for good, this throws. It does not block: the other queue is idle, or has failed.
    if (driver.isIdle(handleElsewhere)) driver.synchronizeQueue(handleElsewhere);
    throw new DeviceException(Errno.EAGAIN, "another thread owns the default stream of " + device);
  }

  /**
   * Returns whether none of the library's queues has work. A queue whose query fails has failed, and does no more work.
   */
  static boolean areAllIdle() {
    for (DeviceQueue queue : OPEN) {
      if (!queue.tryRetain()) continue;
      try {
        if (queue.isCaptured() || !queue.driver.isIdle(queue.handle)) return false;
      } catch (DeviceException _) {
        // the queue counts as idle
      } finally {
        queue.release();
      }
    }
    return true;
  }

  /** Notes that other code receives the handle. */
  void giveHandle() {
    isOthersToo = true;
  }

  /**
   * Returns whether other code, which has the handle, captures this queue. Every other query to the driver would
   * invalidate the capture.
   */
  boolean isCaptured() {
    return isOthersToo && driver.isCaptured(isHere() ? handle : handleElsewhere);
  }

  /**
   * Rejects a queue that is being captured. The graph would use memory again after its last reference is released, and
   * no event would report the end of that use (DEV-60).
   *
   * @throws IllegalStateException if the queue is being captured
   */
  void requireNoCapture() {
    if (!isCaptured()) return;
    String help =
        ": queued work would become part of a graph, and each launch of the graph would use memory that the library "
            + "may have freed; use another stream, or wait for the end of the capture";
    throw new IllegalStateException(
        "the stream 0x" + Long.toHexString(handle) + " of " + device + " is being captured" + help);
  }

  /**
   * Notes that the work that is queued from now on waits for other work. The library does not know which memory that
   * other work writes. To be called after the wait was queued: another thread that sees the queue idle before that says
   * nothing about the wait.
   */
  void noteWait() {
    waits.incrementAndGet();
  }

  /**
   * Returns whether main memory already has the content that it will have when the queue reaches the work that is
   * queued next. Only work of other code counts. The result is true if no such work exists or if it has completed.
   */
  boolean isOthersWorkDone() {
    int noted = waits.get(); // before the query, so that a wait that another thread notes meanwhile is not lost
    if (!isOthersToo && noted == endedWaits) return true;
    boolean isIdle = driver.isIdle(handle());
    if (isIdle) endedWaits = noted;
    return isIdle;
  }

  /** Creates a transfer: copies that are queued together by {@link #queue}. The caller releases it. */
  public Transfer transfer() {
    return new Transfer(driver, staging, handle(), number());
  }

  /**
   * Queues a transfer, and an event behind it, which the caller releases.
   *
   * <p>If this throws, no work in a queue uses the memory any more. If the driver cannot answer that now, the library
   * holds the memory until no work uses it.
   *
   * @param used the memory; the caller holds a reference to each part
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
   * Queues the work of a call, and an event behind it, which the caller releases. If this throws, the memory is in the
   * same state as after {@link #queue(Transfer, boolean, boolean, Shared...)} throws.
   */
  public RecordedEvent queue(Runnable work, Shared... used) {
    try {
      work.run();
      return recordEnd();
    } catch (Throwable t) {
      AbandonedWork.await(this, AbandonedWork.NO_LANES, used);
      throw t;
    }
  }

  /**
   * Queues a transfer from the device, and blocks until it has completed. When this returns or throws, the memory is in
   * the same state as after {@link #queue} throws.
   */
  public void await(Transfer transfer, Shared... used) {
    RecordedEvent end = queue(transfer, false, false, used);
    try {
      SyncEventImpl.synchronize(end.point, end);
    } catch (Throwable t) {
      giveUp(transfer, used); // after a failed wait for the event, the work may still use the memory
      throw t;
    } finally {
      end.release();
    }
  }

  private void giveUp(Transfer transfer, Shared... used) {
    Shared[] held = Arrays.copyOf(used, used.length + 1);
    held[used.length] = transfer;
    AbandonedWork.await(this, transfer.lanes(), held);
  }

  /** Returns the staging through which a transfer goes, or null if the queue copies from and to all memory directly. */
  public @Nullable Staging staging() {
    return staging;
  }

  /** Returns the place of a device's memory, as seen by this queue's device. */
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
