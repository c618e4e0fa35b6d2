package org.arbalest.device;

import java.util.Objects;
import org.arbalest.device.abi.DeviceType;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.spi.DeviceDriver;
import org.jspecify.annotations.Nullable;

/**
 * A place where buffers are: a kind of device and which one of it. Found through {@link Devices}; never closed, since C may release arrays
 * after everybody else has left.
 *
 * <p>A device that no backend serves is <em>opaque</em> (DEV-09): its arrays can be taken in, looked at, handed on and released, but their
 * buffers cannot be read and none can be allocated.
 */
public final class Device {
  /** The alignment of memory that the CPU reads; the specification recommends it. */
  private static final long CPU_ALIGNMENT = 64;

  private static final long DEVICE_ALIGNMENT = 256;

  private final DeviceType type;
  private final long id;
  private final @Nullable DeviceDriver driver;

  Device(DeviceType type, long id, @Nullable DeviceDriver driver) {
    this.type = type;
    this.id = id;
    this.driver = driver;
  }

  /** The kind of device. */
  public DeviceType type() {
    return type;
  }

  /** Which one of its kind; −1 for the CPU (DEV-02). */
  public long id() {
    return id;
  }

  /** Whether no backend serves this device, so that it can only be handed on. */
  public boolean isOpaque() {
    return driver == null;
  }

  /** Whether the CPU can read and write the buffers. */
  public boolean isCpuAccessible() {
    return driver != null && driver.isCpuAccessible();
  }

  /**
   * Allocates a buffer of undefined content, aligned to 64 bytes, or 256 where the CPU cannot read it. The caller owns it.
   *
   * @param bytes the size, not negative
   * @throws DeviceException with {@code ENOMEM} if there is not enough memory, {@code ENOSYS} if the device is opaque
   */
  public DeviceBuffer allocate(long bytes) {
    if (bytes < 0) throw new IllegalArgumentException("the size of a buffer is not negative, but " + bytes + " was given");
    DeviceDriver d = driver;
    if (d == null) throw new DeviceException(Errno.ENOSYS, "no backend serves " + this + ", so nothing can be allocated on it");
    long alignment = d.isCpuAccessible() ? CPU_ALIGNMENT : DEVICE_ALIGNMENT;
    return new DeviceBuffer(this, d, bytes, alignment);
  }

  /**
   * Starts a batch that is built in this device's memory. The caller owns the builder.
   *
   * @param rows the number of rows of every column
   * @throws DeviceException with {@code ENOSYS} if the CPU cannot write this device's memory
   */
  public BatchBuilder batchBuilder(int rows) {
    if (!isCpuAccessible()) throw new DeviceException(Errno.ENOSYS, "the CPU cannot write to " + this + "; build the batch on the CPU");
    return new BatchBuilder(this, rows);
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
