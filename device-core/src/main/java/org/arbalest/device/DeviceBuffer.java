package org.arbalest.device;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.spi.DeviceDriver;

/**
 * A piece of one device's memory. Owned by whoever allocated it, until it is moved into a {@link DeviceArray}, which then frees it.
 *
 * <p>Closing twice does nothing. Content is not synchronised between threads.
 */
public final class DeviceBuffer implements AutoCloseable {
  private final Device device;
  private final DeviceDriver driver;
  private final long address;
  private final long size;
  private final AtomicBoolean spent = new AtomicBoolean();

  DeviceBuffer(Device device, DeviceDriver driver, long size, long alignment) {
    this.device = device;
    this.driver = driver;
    this.size = size;
    this.address = driver.allocate(Math.max(size, 1), alignment); // last, since nobody would free it
    Ledger.BUFFERS.increment();
    Ledger.BUFFER_BYTES.add(size);
  }

  /** Where the memory is. */
  public Device device() {
    return device;
  }

  /** The size in bytes. */
  public long size() {
    return size;
  }

  /** The device pointer, for native code. */
  public long address() {
    checkOpen();
    return address;
  }

  /**
   * The memory as a segment for the CPU. It has no bounds in time: using it after the buffer's memory was freed ends the process.
   *
   * @throws DeviceException with {@code ENOSYS} if the CPU cannot access this device's memory
   */
  public MemorySegment segment() {
    checkOpen();
    if (!device.isCpuAccessible()) throw new DeviceException(Errno.ENOSYS, "the CPU cannot access memory of " + device);
    return NativeHeap.segment(address, size);
  }

  /** Frees the memory, unless the buffer was closed before or moved into an array. */
  @Override
  public void close() {
    if (!spent.getAndSet(true)) free();
  }

  boolean isOpen() {
    return !spent.get();
  }

  /** Takes the buffer away from its creator; the caller must {@link #free} it. Returns false if it was closed or taken before. */
  boolean take() {
    return !spent.getAndSet(true);
  }

  /** Gives back what was taken. */
  void untake() {
    spent.set(false);
  }

  /** The device pointer of a buffer that was taken. */
  long pointer() {
    return address;
  }

  /** Frees the memory; what the driver fails with is reported, since others still have theirs to free. */
  void free() {
    try {
      driver.free(address, Math.max(size, 1));
      Ledger.BUFFERS.decrement();
      Ledger.BUFFER_BYTES.add(-size);
    } catch (Throwable t) {
      Faults.report("freeing " + size + " bytes on " + device, t);
    }
  }

  private void checkOpen() {
    if (spent.get()) throw new IllegalStateException("the buffer was closed or moved into an array");
  }

  @Override
  public String toString() {
    return size + " bytes on " + device + (isOpen() ? "" : " (spent)");
  }
}
