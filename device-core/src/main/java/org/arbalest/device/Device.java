package org.arbalest.device;

import java.util.Objects;
import java.util.Optional;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.spi.HostMemory;
import org.jspecify.annotations.Nullable;

/**
 * A place where buffers are: a kind of device and which one of it. Found through {@link Devices}; never closed, since C may release arrays
 * after everybody else has left.
 *
 * <p>A device that no backend serves is <em>opaque</em> (DEV-09): its arrays can be taken in, looked at, handed on and released, but their
 * buffers cannot be read and none can be allocated. If the device is there later, after its driver was installed for example, then arrays that
 * are taken in from then on are on it (DEV-18); those of before stay as they were: on the opaque one, which {@linkplain #equals equals} it.
 */
public final class Device {
  private final DeviceType type;
  private final long id;
  private final long ordinal;
  private final @Nullable DeviceDriver driver;
  private volatile @Nullable Device unnumbered;
  private volatile @Nullable DeviceStream defaultStream;

  Device(DeviceType type, long id, @Nullable DeviceDriver driver) {
    this(type, id, id, driver);
  }

  private Device(DeviceType type, long id, long ordinal, @Nullable DeviceDriver driver) {
    this.type = type;
    this.id = id;
    this.ordinal = ordinal;
    this.driver = driver;
  }

  /**
   * This device's memory under the id −1, by which peers send host memory that is no device's in particular (DEV-16). It keeps that id wherever
   * it goes, and is served as this device's.
   */
  Device unnumbered() {
    Device known = unnumbered;
    if (known == null) unnumbered = known = new Device(type, -1, ordinal, driver);
    return known;
  }

  /** The id by which drivers know this device. */
  long ordinal() {
    return ordinal;
  }

  /** The kind of device. */
  public DeviceType type() {
    return type;
  }

  /** Which one of its kind; −1 for the CPU (DEV-02), and for pinned memory that a peer sent as no device's in particular (DEV-16). */
  public long id() {
    return id;
  }

  /** Whether no backend serves this device, so that its arrays can only be handed on; does not change. */
  public boolean isOpaque() {
    return driver == null;
  }

  /** Whether the CPU can read and write all buffers, once their events have completed. */
  public boolean isCpuAccessible() {
    return driver != null && driver.isCpuAccessible();
  }

  /**
   * The device's own memory.
   *
   * @throws DeviceException with {@code ENOSYS} if the device is opaque
   */
  public MemoryManager memory() {
    return new AllocatorMemory(this, driver());
  }

  /**
   * Memory that the CPU reads and writes and that the device copies from and to at its full speed: pinned, or shared by both. Empty if the
   * device has none. Its buffers may be on a device of their own, such as {@code CUDA_HOST:0}.
   */
  public Optional<MemoryManager> hostMemory() {
    DeviceDriver d = driver();
    HostMemory host = d.hostMemory();
    if (host == null) return d.isCpuAccessible() ? Optional.of(memory()) : Optional.empty();
    return Optional.of(new AllocatorMemory(host.type().equals(type) ? this : Devices.find(host.type(), ordinal), host.allocator()));
  }

  /** Allocates a buffer of undefined content in {@link #memory}; see {@link MemoryManager#allocate(long)}. The caller owns it. */
  public DeviceBuffer allocate(long bytes) {
    return memory().allocate(bytes);
  }

  /** Starts a batch in {@link #memory}; see {@link MemoryManager#batchBuilder}. The caller owns the builder. */
  public BatchBuilder batchBuilder(int rows) {
    return memory().batchBuilder(rows);
  }

  /**
   * Creates a queue of the device's work, to be closed by the caller.
   *
   * @throws DeviceException with {@code ENOSYS} if the device is opaque, or what its driver failed with
   */
  public DeviceStream createStream() {
    return DeviceStream.own(this, driver());
  }

  /** The stream that is used where none is given. It is made when it is first asked for, and stays; closing it does nothing. */
  public DeviceStream defaultStream() {
    DeviceStream stream = defaultStream;
    return stream == null ? createDefaultStream() : stream;
  }

  private synchronized DeviceStream createDefaultStream() {
    DeviceStream stream = defaultStream;
    if (stream == null) {
      DeviceDriver d = driver();
      stream = DeviceStream.of(this, d, d.createQueue(), DeviceQueue.Kind.DEFAULT);
      defaultStream = stream;
    }
    return stream;
  }

  /**
   * A queue that somebody else made, such as a {@code CUstream} or an in-order {@code cl_command_queue} of this device's context. It stays
   * theirs, and must live until the stream returned is closed; closing that does not destroy it.
   *
   * @param handle the runtime's handle
   */
  public DeviceStream wrapStream(long handle) {
    return DeviceStream.of(this, driver(), handle, DeviceQueue.Kind.BORROWED);
  }

  /**
   * An event that somebody else made, and gives away: it is destroyed when the handle returned, and all that waits for it, is done with it.
   *
   * @param handle the runtime's handle, such as a {@code CUevent} or a {@code cl_event}
   * @throws DeviceException with {@code EINVAL} if this device cannot wait for it; it is still the caller's then
   */
  public SyncEvent adoptEvent(long handle) {
    DeviceDriver d = driver();
    if (handle == 0) throw DeviceException.invalid("NULL is no event of " + this);
    d.checkEvent(handle);
    RecordedEvent event = RecordedEvent.adopt(this, d, handle);
    return new SyncEvent(event.point, event);
  }

  DeviceDriver driver() {
    DeviceDriver d = driver;
    if (d == null) throw new DeviceException(Errno.ENOSYS, "no backend serves " + this + ", so nothing can be allocated or queued on it");
    return d;
  }

  boolean isCpu() {
    return type.code() == 1;
  }

  /** Whether this device's copies read and write another one's memory, and its queues wait for its events. */
  boolean reaches(Device other) {
    return driver != null && (equals(other) || driver.reaches(other.type, other.ordinal));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Device that && type.equals(that.type) && id == that.id;
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
