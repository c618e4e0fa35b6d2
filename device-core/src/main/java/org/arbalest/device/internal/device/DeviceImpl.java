// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.DeviceIdentity;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.DeviceType;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.SyncEvent;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.staging.Staging;
import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.spi.HostStaging;
import org.arbalest.device.spi.HostMemory;
import org.arbalest.device.spi.ProcessSharing;
import org.jspecify.annotations.Nullable;

/** A device with its driver. A device without a driver is opaque. See {@link Device}. */
public final class DeviceImpl implements Device {
  private final DeviceType type;
  private final long id;
  private final long ordinal;
  private final @Nullable DeviceDriver driver;
  private final @Nullable Staging staging;

  /** Returns why an opaque device is unavailable, if a backend should serve it. */
  private final @Nullable Supplier<String> why;

  private volatile @Nullable Device unnumbered;
  private volatile @Nullable MemoryManager memory;
  private volatile @Nullable MemoryManager hostMemory;
  private volatile @Nullable DeviceStream defaultStream;

  /** Creates a device. Without a driver, the device is opaque. */
  public DeviceImpl(DeviceType type, long id, @Nullable DeviceDriver driver) {
    this(type, id, id, driver, null);
  }

  private DeviceImpl(DeviceType type, long id, long ordinal, @Nullable DeviceDriver driver,
      @Nullable Supplier<String> why) {
    this.type = type;
    this.id = id;
    this.ordinal = ordinal;
    this.driver = driver;
    HostStaging host = driver == null ? null : driver.hostStaging();
    this.staging = driver == null || host == null ? null : Staging.of(driver, host);
    this.why = why;
  }

  /** Creates an opaque device that a backend should serve, but that is missing or failed to open. */
  static DeviceImpl absent(DeviceType type, long id, Supplier<String> why) {
    return new DeviceImpl(type, id, id, null, why);
  }

  /**
   * Returns this device's memory under the id −1. Peers send pinned host memory that belongs to no particular device
   * under this id (DEV-16). The memory keeps the id in every export, and this device's driver serves it.
   */
  Device unnumbered() {
    Device known = unnumbered;
    if (known == null) unnumbered = known = new DeviceImpl(type, -1, ordinal, driver, why);
    return known;
  }

  /** The id by which drivers know this device. */
  long ordinal() {
    return ordinal;
  }

  /** Returns the implementation. Every {@link Device} is an instance of this class. */
  public static DeviceImpl unwrap(Device device) {
    return (DeviceImpl) device;
  }

  @Override
  public DeviceType type() {
    return type;
  }

  @Override
  public long id() {
    return id;
  }

  @Override
  public boolean isOpaque() {
    return driver == null;
  }

  @Override
  public boolean isCpuAccessible() {
    return driver != null && driver.isCpuAccessible();
  }

  @Override
  public MemoryManager memory() {
    MemoryManager known = memory;
    return known == null ? makeMemory() : known;
  }

  private synchronized MemoryManager makeMemory() {
    MemoryManager known = memory;
    if (known == null) memory = known = id == ordinal ? AllocatorMemory.of(this, driver()) : renamed();
    return known;
  }

  /** Returns memory from the device with the real number, so that both devices use one cache. */
  private MemoryManager renamed() {
    DeviceDriver d = driver();
    return d.cacheBytes() == 0 ? new AllocatorMemory(this, d)
        : new AllocatorMemory(this, AllocatingMemory.allocatorOf(DeviceRegistry.find(type, ordinal).memory()));
  }

  @Override
  public Optional<MemoryManager> hostMemory() {
    MemoryManager known = hostMemory;
    return known == null ? findHostMemory() : Optional.of(known);
  }

  private Optional<MemoryManager> findHostMemory() {
    DeviceDriver d = driver();
    HostMemory host = d.hostMemory();
    MemoryManager found = host != null ? hostMemory(host) : d.isCpuAccessible() ? memory() : null;
    hostMemory = found;
    return Optional.ofNullable(found);
  }

  /**
   * Returns the host memory. If its type is a device type of its own, this is that device's memory, so that both
   * devices use one cache for freed memory.
   */
  private MemoryManager hostMemory(HostMemory host) {
    if (host.type().equals(type)) return new AllocatorMemory(this, host.allocator());
    Device its = DeviceRegistry.find(host.type(), ordinal);
    return its.isOpaque() ? new AllocatorMemory(its, host.allocator()) : its.memory();
  }

  @Override
  public DeviceBuffer pin(MemorySegment segment, Runnable onUnpinned) {
    Objects.requireNonNull(segment, "memory");
    Objects.requireNonNull(onUnpinned, "onUnpinned");
    if (!segment.isNative() || segment.byteSize() == 0)
      throw new IllegalArgumentException("only native memory of at least one byte can be pinned, not " + segment);
    if (segment.isReadOnly()) {
      throw new IllegalArgumentException(
          "cannot pin a read-only segment of " + segment.byteSize() + " bytes: streams and the CPU could write to the "
              + "pinned buffer; pin the writable segment, or copy the memory to hostMemory()");
    }
    DeviceDriver d = driver();
    Device place = hostMemory().map(MemoryManager::device).orElse(this);
    long address = segment.address();
    long bytes = segment.byteSize();
    Consumer<@Nullable DeviceException> unpinned =
        failure -> {
          try {
            if (failure != null)
              Faults.report("unpinning memory of " + this + ", which no longer uses it,", failure);
            onUnpinned.run();
          } finally {
            Reference.reachabilityFence(segment); // also for a segment of an automatic arena
          }
        };
    Worker.RELEASES.start();
    d.pin(address, bytes);
    try {
      return DeviceBufferImpl.wrap(place, address, bytes, () -> IdleTask.run(() -> d.unpin(address, bytes), unpinned));
    } catch (Throwable t) {
      d.unpin(address, bytes);
      throw t;
    }
  }

  @Override
  public Optional<MemoryManager> shareableMemory() {
    ProcessSharing sharing = driver().sharing();
    return sharing == null ? Optional.empty()
        : Optional.of(new AllocatorMemory(this, DeviceCaches.withoutCache(this, sharing.memory())));
  }

  @Override
  public DeviceIdentity identity() {
    return driver == null ? DeviceIdentity.UNKNOWN : DeviceLookup.identity(type, ordinal);
  }

  @Override
  public DeviceBuffer allocate(long bytes) {
    return memory().allocate(bytes);
  }

  @Override
  public DeviceStream createStream() {
    return DeviceStreamImpl.own(this, driver());
  }

  @Override
  public DeviceStream defaultStream() {
    DeviceStream stream = defaultStream;
    return stream == null ? createDefaultStream() : stream;
  }

  private synchronized DeviceStream createDefaultStream() {
    DeviceStream stream = defaultStream;
    if (stream == null) {
      DeviceDriver d = driver();
      stream = DeviceStreamImpl.of(this, d, d.createQueue(), DeviceQueue.Kind.DEFAULT);
      defaultStream = stream;
    }
    return stream;
  }

  @Override
  public DeviceStream wrapStream(long handle) {
    DeviceDriver d = driver();
    d.checkQueue(handle);
    return DeviceStreamImpl.of(this, d, handle, DeviceQueue.Kind.BORROWED);
  }

  /** Returns the stream in which the runtime's code works that names none; null if there is no such stream. */
  public @Nullable DeviceStream runtimeStream() {
    OptionalLong queue = driver == null ? OptionalLong.empty() : driver.runtimeQueue();
    if (driver == null || queue.isEmpty()) return null;
    return DeviceStreamImpl.of(this, driver, queue.getAsLong(), DeviceQueue.Kind.BORROWED);
  }

  @Override
  public SyncEvent adoptEvent(long handle) {
    DeviceDriver d = driver();
    if (handle == 0) throw new IllegalArgumentException("NULL is not an event of " + this);
    d.checkEvent(handle);
    return SyncEventImpl.adopt(this, d, handle);
  }

  /** Returns the driver, or throws if this device is opaque. */
  public DeviceDriver driver() {
    DeviceDriver d = driver;
    if (d == null) throw refusal("nothing can be allocated or queued on it");
    return d;
  }

  /**
   * Returns the staging through which this device's queues copy from and to pageable memory. Returns null if the queues
   * copy such memory directly.
   */
  @Nullable
  Staging staging() {
    return staging;
  }

  /** Returns the error for an operation that is impossible because this device is opaque. */
  public DeviceException refusal(String what) {
    String because = why == null ? "no backend serves " + this + DeviceRegistry.artifact(type)
        : this + " is unavailable, because " + why.get();
    return new DeviceException(Errno.ENOSYS, because + ", so " + what);
  }

  /** Returns whether this is the CPU. */
  public boolean isCpu() {
    return type.code() == 1;
  }

  /**
   * Returns whether this device's copies read and write another device's memory, and whether its queues wait for that
   * device's events.
   */
  public boolean reaches(Device other) {
    return driver != null
        && (equals(other) || driver.reaches(DeviceImpl.unwrap(other).type, DeviceImpl.unwrap(other).ordinal));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DeviceImpl that && type.equals(that.type) && id == that.id;
  }

  @Override
  public int hashCode() {
    return Objects.hash(type, id);
  }

  /** Returns a name like {@code CPU} or {@code CUDA:0}. */
  @Override
  public String toString() {
    return id < 0 ? type.name() : type.name() + ":" + id;
  }
}
