package org.arbalest.device;

import java.util.concurrent.atomic.AtomicReference;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.spi.DeviceDriver;
import org.jspecify.annotations.Nullable;

/**
 * An ordered queue of a device's work: a CUDA or HIP stream, an in-order OpenCL command queue. What is queued is done in order, later;
 * queueing does not wait. On a device that does everything at once, such as the CPU, it is done when the call returns.
 *
 * <p>Made by {@link Device#createStream}, and closed by whoever made it; what is in it then is still done. Closing twice does nothing. All
 * methods are safe on any thread; the order of what several threads queue is theirs to settle.
 */
public final class DeviceStream implements AutoCloseable {
  private final Device device;
  private final AtomicReference<@Nullable DeviceQueue> queue;
  private final boolean isDefault;
  private final Leaks.@Nullable Watch watch;

  DeviceStream(DeviceQueue queue, DeviceQueue.Kind kind) {
    this.device = queue.device;
    this.queue = new AtomicReference<>(queue);
    this.isDefault = kind == DeviceQueue.Kind.DEFAULT;
    this.watch = Leaks.ENABLED && kind == DeviceQueue.Kind.OWN ? Leaks.watch(this) : null;
    if (watch != null) watch.opened();
  }

  /** The device that does the work. */
  public Device device() {
    return device;
  }

  /** The runtime's handle, such as a {@code CUstream} or a {@code cl_command_queue}. Borrowed: it can be used while this is open. */
  public long handle() {
    DeviceQueue held = hold();
    try {
      return held.handle;
    } finally {
      held.release();
    }
  }

  /** An event that completes when all that is in the stream now is done; to be closed by the caller. */
  public SyncEvent record() {
    RecordedEvent event = recordEvent();
    return new SyncEvent(event.point, event);
  }

  /** Lets what is queued from now on wait for an event: on the device if it can; else this call waits. */
  public void waitFor(SyncEvent event) {
    Shared held = event.hold();
    try {
      waitFor(event.point());
    } finally {
      held.release();
    }
  }

  /** Lets what is queued from now on wait until an array's buffers can be read; see {@link #waitFor(SyncEvent)}. */
  public void waitFor(DeviceArray array) {
    Ownership owner = array.holder();
    owner.retain();
    try {
      EventPoint point = owner.event();
      if (point != null) {
        waitFor(point);
      } else if (owner.syncEvent() != 0) {
        throw new DeviceException(Errno.ENOSYS, "no backend serves " + array.device() + ", so nobody can wait for its event");
      }
    } finally {
      owner.release();
    }
  }

  /**
   * Queues a copy of a whole buffer to the start of another. Both are kept alive until it is done, also when they are closed meanwhile.
   *
   * @throws IllegalArgumentException if {@code to} is smaller, or a buffer is on a device that this one does not reach
   */
  public void copy(DeviceBuffer from, DeviceBuffer to) {
    if (to.size() < from.size()) throw new IllegalArgumentException(from.size() + " bytes do not fit a buffer of " + to.size() + " bytes");
    requireReach(from);
    requireReach(to);
    if (from.size() == 0) return;
    DeviceQueue held = hold();
    Shared source = from.hold();
    Shared target = null;
    try {
      target = to.hold();
      held.driver.copy(held.handle, to.pointer(), from.pointer(), from.size());
      try {
        keep(held, source, target);
      } catch (Throwable t) {
        held.driver.synchronizeQueue(held.handle); // nothing is freed under the copy
        throw t;
      }
    } finally {
      source.release();
      if (target != null) target.release();
      held.release();
    }
  }

  /**
   * Keeps an array's memory until all that is in the stream now is done: to be called after a kernel that uses it was queued, so that the
   * array can be closed at once.
   */
  public void keepAlive(DeviceArray array) {
    DeviceQueue held = hold();
    try {
      keep(held, array.holder());
    } finally {
      held.release();
    }
  }

  /** Keeps a buffer's memory until all that is in the stream now is done; see {@link #keepAlive(DeviceArray)}. */
  public void keepAlive(DeviceBuffer buffer) {
    DeviceQueue held = hold();
    Shared memory = buffer.hold();
    try {
      keep(held, memory);
    } finally {
      memory.release();
      held.release();
    }
  }

  /**
   * Blocks until all that is in the stream is done.
   *
   * @throws DeviceException with what any of it failed with
   */
  public void synchronize() {
    if (Thread.currentThread().isVirtual()) {
      try (SyncEvent end = record()) {
        end.synchronize();
      }
      return;
    }
    DeviceQueue held = hold();
    try {
      held.driver.synchronizeQueue(held.handle);
    } finally {
      held.release();
    }
  }

  /** Gives the stream back without waiting. A device's default stream stays. */
  @Override
  public void close() {
    if (isDefault) return;
    DeviceQueue held = queue.getAndSet(null);
    if (held == null) return;
    if (watch != null) watch.closed();
    held.release();
  }

  /** One holder more, to be released by the caller; so that closing on another thread does not take the queue away. */
  DeviceQueue hold() {
    DeviceQueue held = queue.get();
    if (held == null || !held.tryRetain()) throw new IllegalStateException("the stream was closed");
    return held;
  }

  RecordedEvent recordEvent() {
    DeviceQueue held = hold();
    try {
      return RecordedEvent.record(device, held.driver, held.handle);
    } finally {
      held.release();
    }
  }

  void waitFor(EventPoint point) {
    DeviceQueue held = hold();
    try {
      point.letWait(held.driver, device, held.handle);
    } finally {
      held.release();
    }
  }

  private void requireReach(DeviceBuffer buffer) {
    if (buffer.isCpuAccessible() || reaches(buffer.device())) return;
    throw new IllegalArgumentException("a stream of " + device + " does not reach memory of " + buffer.device());
  }

  /** Whether the stream's copies read and write memory of a device. */
  boolean reaches(Device other) {
    if (other.equals(device)) return true;
    DeviceQueue held = hold();
    try {
      return held.driver.reaches(other.type(), other.ordinal());
    } finally {
      held.release();
    }
  }

  private void keep(DeviceQueue held, Shared... memories) {
    RecordedEvent end = RecordedEvent.record(device, held.driver, held.handle);
    try {
      keepUntil(end, memories);
    } finally {
      end.release();
    }
  }

  /** Holds memory until an event is over. If nobody can be told of that, waits for it, and throws. */
  static void keepUntil(RecordedEvent end, Shared... memories) {
    if (end.point.isOver()) return;
    for (Shared memory : memories) memory.retain();
    try {
      Wait.on(end.point, end, Worker.RELEASES, _ -> releaseAll(memories));
    } catch (Throwable t) {
      try {
        end.point.synchronize();
      } finally {
        releaseAll(memories);
      }
      throw t;
    }
  }

  private static void releaseAll(Shared... memories) {
    for (Shared memory : memories) memory.release();
  }

  static DeviceStream own(Device device, DeviceDriver driver) {
    return of(device, driver, driver.createQueue(), DeviceQueue.Kind.OWN);
  }

  static DeviceStream of(Device device, DeviceDriver driver, long handle, DeviceQueue.Kind kind) {
    return new DeviceStream(new DeviceQueue(device, driver, handle, kind), kind);
  }

  /** The device. */
  @Override
  public String toString() {
    return "stream of " + device + (queue.get() == null ? " (closed)" : "");
  }
}
