// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Objects;
import java.util.Optional;
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
import org.arbalest.device.spi.HostMemory;
import org.arbalest.device.spi.ProcessSharing;
import org.jspecify.annotations.Nullable;

/** A device with its driver; without one it is opaque. See {@link Device}. */
public final class DeviceImpl implements Device {
  private final DeviceType type;
  private final long id;
  private final long ordinal;
  private final @Nullable DeviceDriver driver;
  private final @Nullable Staging staging;

  /** Tells, of an opaque device that a backend should serve, why it is not there. */
  private final @Nullable Supplier<String> why;

  private volatile @Nullable Device unnumbered;
  private volatile @Nullable MemoryManager memory;
  private volatile @Nullable MemoryManager hostMemory;
  private volatile @Nullable DeviceStream defaultStream;

  public DeviceImpl(DeviceType type, long id, @Nullable DeviceDriver driver) {
    this(type, id, id, driver, null);
  }

  private DeviceImpl(DeviceType type, long id, long ordinal, @Nullable DeviceDriver driver,
      @Nullable Supplier<String> why) {
    this.type = type;
    this.id = id;
    this.ordinal = ordinal;
    this.driver = driver;
    this.staging = driver == null ? null : Staging.of(driver);
    this.why = why;
  }

  /** One that a backend should serve, and that is missing, or failed to open. */
  static DeviceImpl absent(DeviceType type, long id, Supplier<String> why) {
    return new DeviceImpl(type, id, id, null, why);
  }

  /**
   * This device's memory under the id −1, by which peers send host memory that is no device's in particular (DEV-16).
   * It keeps that id wherever it goes, and is served as this device's.
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

  /** The implementation, which every {@link Device} is. */
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

  /** Of the device whose memory it is: there is one cache. */
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

  /** Where it is a device of its own, that one's memory, so that both keep together what was freed. */
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
      throw new IllegalArgumentException("what is pinned is native memory of at least one byte, not " + segment);
    DeviceDriver d = driver();
    Device place = hostMemory().map(MemoryManager::device).orElse(this);
    long address = segment.address();
    long bytes = segment.byteSize();
    Consumer<@Nullable DeviceException> unpinned =
        failure -> {
          try {
            if (failure != null)
              Faults.report("unpinning memory for " + this + ", which does nothing with it any more", failure);
            onUnpinned.run();
          } finally {
            Reference.reachabilityFence(segment); // of an automatic arena, too
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
    return DeviceStreamImpl.of(this, driver(), handle, DeviceQueue.Kind.BORROWED);
  }

  @Override
  public SyncEvent adoptEvent(long handle) {
    DeviceDriver d = driver();
    if (handle == 0) throw new IllegalArgumentException("NULL is no event of " + this);
    d.checkEvent(handle);
    RecordedEvent event = RecordedEvent.adopt(this, d, handle);
    return new SyncEventImpl(event.point, event);
  }

  public DeviceDriver driver() {
    DeviceDriver d = driver;
    if (d == null) throw refusal("nothing can be allocated or queued on it");
    return d;
  }

  /** By way of what its queues copy from and to pageable memory; null if they do that by themselves. */
  @Nullable
  Staging staging() {
    return staging;
  }

  /** Why something cannot be done with this device, which is opaque. */
  public DeviceException refusal(String what) {
    String because = why == null ? "no backend serves " + this + DeviceRegistry.artifact(type)
        : this + " is unavailable, because " + why.get();
    return new DeviceException(Errno.ENOSYS, because + ", so " + what);
  }

  public boolean isCpu() {
    return type.code() == 1;
  }

  /** Whether this device's copies read and write another one's memory, and its queues wait for its events. */
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

  /** Such as {@code CPU} or {@code CUDA:0}. */
  @Override
  public String toString() {
    return id < 0 ? type.name() : type.name() + ":" + id;
  }
}
