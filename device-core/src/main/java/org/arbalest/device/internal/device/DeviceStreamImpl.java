// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.SyncEvent;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.recording.Recording;
import org.arbalest.device.internal.staging.Transfer;
import org.arbalest.device.spi.DeviceDriver;
import org.jspecify.annotations.Nullable;

/**
 * A handle to a {@link DeviceQueue}, which also keeps memory alive until the queue has used it. See
 * {@link DeviceStream}.
 */
public final class DeviceStreamImpl implements DeviceStream {
  private final Device device;
  private final AtomicReference<@Nullable DeviceQueue> queue;
  private final boolean isDefault;
  private final Leaks.@Nullable Watch watch;

  DeviceStreamImpl(DeviceQueue queue, DeviceQueue.Kind kind) {
    this.device = queue.device;
    this.queue = new AtomicReference<>(queue);
    this.isDefault = kind == DeviceQueue.Kind.DEFAULT;
    this.watch = Leaks.isDue() && kind == DeviceQueue.Kind.OWN ? Leaks.watch(this, "DeviceStream of " + device) : null;
    if (watch != null) watch.opened();
  }

  /** Returns the implementation. Every {@link DeviceStream} is an instance of this class. */
  public static DeviceStreamImpl unwrap(DeviceStream stream) {
    return (DeviceStreamImpl) stream;
  }

  @Override
  public Device device() {
    return device;
  }

  @Override
  public long handle() {
    DeviceQueue held = holdAsIs();
    try {
      held.giveHandle();
      return held.handle();
    } finally {
      held.release();
    }
  }

  @Override
  public MemoryManager memory() {
    DeviceQueue held = hold();
    try {
      if (held.isOfOneThread()) throw noMemoryOfOneThread();
      MemoryAllocator ordered = held.driver.orderedBy(held.handle());
      return ordered == null ? device.memory() : memory(held, ordered);
    } finally {
      held.release();
    }
  }

  /** Returns memory from an allocator of the application, in the order of this stream. */
  public MemoryManager memory(MemoryAllocator ordered) {
    Objects.requireNonNull(ordered, "allocator");
    if (ordered.isCpuAccessible()) {
      throw new IllegalArgumentException("an allocator of memory that the CPU reaches cannot be in the order of the "
          + this + ", since the CPU does not wait for it; return false from isCpuAccessible()");
    }
    DeviceQueue held = hold();
    try {
      if (held.isOfOneThread()) throw noMemoryOfOneThread();
      return memory(held, ordered);
    } finally {
      held.release();
    }
  }

  private MemoryManager memory(DeviceQueue held, MemoryAllocator ordered) {
    return new AllocatorMemory(device, new QueueAllocator(this, held, ordered));
  }

  /** Any thread may close a buffer, and only one thread can order a free in its default stream. */
  private DeviceException noMemoryOfOneThread() {
    return new DeviceException(Errno.ENOSYS, "the default stream of one thread cannot order memory of " + device
        + ", which any thread may free; use the memory of a stream of your own, or the device's, with keepAlive");
  }

  /**
   * Makes the work that is queued from now on wait until a buffer's memory is available, if another stream orders that
   * memory (DEV-31).
   */
  public void waitForMemory(DeviceBuffer buffer) {
    DeviceQueue other = DeviceBufferImpl.unwrap(buffer).allocation().orderedBy;
    DeviceQueue own = queue.get();
    if (other == null || (own != null && own.isSameAs(other))) return;
    other.requireNoCapture();
    RecordedEvent end = other.recordEnd();
    try {
      waitFor(end.point, end);
    } finally {
      end.release();
    }
  }

  @Override
  public SyncEvent record() {
    RecordedEvent event = recordEvent();
    return new SyncEventImpl(event.point, event);
  }

  @Override
  public void waitFor(SyncEvent event) {
    Shared held = SyncEventImpl.unwrap(event).hold();
    try {
      waitFor(SyncEventImpl.unwrap(event).point(), held);
    } finally {
      held.release();
    }
  }

  @Override
  public void copy(DeviceBuffer from, DeviceBuffer to) {
    if (to.size() < from.size())
      throw new IllegalArgumentException(from.size() + " bytes do not fit a buffer of " + to.size() + " bytes");
    requireReach(from);
    requireReach(to);
    if (from.size() == 0) return;
    DeviceQueue held = hold();
    Shared source = DeviceBufferImpl.unwrap(from).hold();
    Shared target = null;
    Transfer transfer = null;
    try {
      target = DeviceBufferImpl.unwrap(to).hold();
      waitForMemory(from);
      waitForMemory(to);
      transfer = held.transfer();
      transfer.add(held.place(to.device()), to.address(), held.place(from.device()), from.address(), from.size());
      RecordedEvent end = held.queue(transfer, held.isOthersWorkDone(), false, source, target);
      try {
        keepUntil(end, source, target, transfer);
      } finally {
        end.release();
      }
    } finally {
      source.release();
      if (target != null) target.release();
      if (transfer != null) transfer.release();
      held.release();
    }
  }

  /** Adds a reference to an object. It is released when all work that is in the stream now has completed. */
  public void keep(Shared shared) {
    DeviceQueue held = hold();
    try {
      keep(held, shared);
    } finally {
      held.release();
    }
  }

  @Override
  public void keepAlive(DeviceBuffer buffer) {
    DeviceQueue held = hold();
    Shared memory = DeviceBufferImpl.unwrap(buffer).hold();
    try {
      keep(held, memory);
    } finally {
      memory.release();
      held.release();
    }
  }

  @Override
  public void synchronize() {
    if (Thread.currentThread().isVirtual()) {
      try (SyncEvent end = record()) {
        end.synchronize();
      }
      return;
    }
    DeviceQueue held = hold();
    Recording.OfWait event = Recording.aWait();
    try {
      held.synchronize();
    } finally {
      held.release();
      if (event != null) event.describe("stream", device);
    }
  }

  @Override
  public boolean synchronize(Duration limit) throws InterruptedException {
    Objects.requireNonNull(limit, "limit");
    try (SyncEvent end = record()) {
      return end.synchronize(limit);
    }
  }

  @Override
  public void close() {
    if (isDefault) return;
    DeviceQueue held = queue.getAndSet(null);
    if (held == null) return;
    if (watch != null) watch.closed(this);
    held.release();
  }

  /**
   * Adds one reference to the queue for a caller that queues work. The caller must release it. The reference keeps the
   * queue alive if another thread closes this stream.
   *
   * @throws IllegalStateException if the stream is closed, if its queue is being captured, or if it is the default
   *     stream of another thread
   */
  public DeviceQueue hold() {
    DeviceQueue held = holdAsIs();
    try {
      held.requireHere();
      held.requireNoCapture();
      return held;
    } catch (Throwable t) {
      held.release();
      throw t;
    }
  }

  /** Adds one reference to the queue for a caller that queues no work. It does not reject a capture. */
  private DeviceQueue holdAsIs() {
    DeviceQueue held = queue.get();
    if (held == null || !held.tryRetain()) throw new IllegalStateException("the stream was closed");
    return held;
  }

  /** Records an event at the end of the stream's work. The caller releases it. */
  public RecordedEvent recordEvent() {
    DeviceQueue held = hold();
    try {
      return held.recordEnd();
    } finally {
      held.release();
    }
  }

  /** Makes the work that is queued from now on wait for an event. The keeper keeps the event alive. */
  public void waitFor(EventPoint point, Shared keeper) {
    DeviceQueue held = hold();
    try {
      point.letWait(held.driver, device, held.handle(), keeper);
    } finally {
      held.noteWait();
      held.release();
    }
  }

  private void requireReach(DeviceBuffer buffer) {
    if (buffer.isCpuAccessible() || reaches(buffer.device())) return;
    throw new IllegalArgumentException("a stream of " + device + " does not reach memory of " + buffer.device());
  }

  /** Returns whether the stream's copies read and write memory of a device. */
  public boolean reaches(Device other) {
    if (other.equals(device)) return true;
    DeviceQueue held = holdAsIs();
    try {
      return held.driver.reaches(other.type(), DeviceImpl.unwrap(other).ordinal());
    } finally {
      held.release();
    }
  }

  private void keep(DeviceQueue held, Shared... memories) {
    RecordedEvent end = held.recordEnd();
    try {
      keepUntil(end, memories);
    } finally {
      end.release();
    }
  }

  /**
   * Keeps memory alive until an event is over (DEV-19), in every case.
   *
   * @throws RuntimeException if the driver cannot notify. This thread has then blocked until the event was over, or, if
   *     the driver gave no answer, the library queries the event repeatedly until it is over
   */
  public static void keepUntil(RecordedEvent end, Shared... memories) {
    if (end.point.isKnownDone()) return; // the event was recorded just now, so a query would be a superfluous call
    for (Shared memory : memories) memory.retain();
    Throwable failure = Wait.forSure(end.point, end, Worker.RELEASES, () -> releaseAll(memories));
    if (failure instanceof RuntimeException e) throw e;
    if (failure instanceof Error e) throw e;
  }

  private static void releaseAll(Shared... memories) {
    for (Shared memory : memories) memory.release();
  }

  static DeviceStream own(Device device, DeviceDriver driver) {
    return of(device, driver, driver.createQueue(), DeviceQueue.Kind.OWN);
  }

  static DeviceStream of(Device device, DeviceDriver driver, long handle, DeviceQueue.Kind kind) {
    return new DeviceStreamImpl(new DeviceQueue(device, driver, handle, kind), kind);
  }

  /** Returns a text that contains the device and whether the stream is closed. */
  @Override
  public String toString() {
    return "stream of " + device + (queue.get() == null ? " (closed)" : "");
  }
}
