package org.arbalest.device;

import java.lang.foreign.MemorySegment;
import java.nio.channels.SeekableByteChannel;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.arbalest.device.abi.Errno;
import org.arbalest.device.spi.DeviceDriver;
import org.arbalest.device.spi.MemoryAllocator;

/**
 * A piece of one device's memory. Owned by whoever allocated it, until it is moved into a {@link DeviceArray}. Slices and views share the
 * memory, which is freed when the last of them was closed.
 *
 * <p>Closing twice does nothing. Content is not synchronised between threads, nor with work that is queued: wait for that first.
 */
public final class DeviceBuffer implements AutoCloseable {
  private final Device device;
  private final Allocation allocation;
  private final long address;
  private final long size;
  private final boolean isCpuAccessible;
  private final AtomicBoolean spent = new AtomicBoolean();

  /** Takes over a holder of the allocation. */
  private DeviceBuffer(Device device, Allocation allocation, long address, long size, boolean isCpuAccessible) {
    this.device = device;
    this.allocation = allocation;
    this.address = address;
    this.size = size;
    this.isCpuAccessible = isCpuAccessible;
  }

  static DeviceBuffer allocate(Device device, MemoryAllocator allocator, long size, long alignment) {
    boolean isCpuAccessible = allocator.isCpuAccessible();
    Allocation allocation = Allocation.allocate(device, allocator, size, alignment);
    return new DeviceBuffer(device, allocation, allocation.address, size, isCpuAccessible);
  }

  /**
   * Memory that somebody else allocated, as a buffer; owned by the caller.
   *
   * @param device where it is
   * @param address the device's address of it
   * @param size in bytes
   * @param onFree run once, when nobody here uses the memory any more; on any thread. What it refers to stays reachable until then: a segment of an
   *     automatic arena whose address this is must be among it (OWN-14)
   */
  public static DeviceBuffer wrap(Device device, long address, long size, Runnable onFree) {
    Objects.requireNonNull(onFree, "onFree");
    return wrapped(device, address, size, onFree);
  }

  private static DeviceBuffer wrapped(Device device, long address, long size, Runnable onFree) {
    Objects.requireNonNull(device, "device");
    if (size < 0 || address == 0) throw new IllegalArgumentException("no buffer is at " + address + " with " + size + " bytes");
    return new DeviceBuffer(device, Allocation.wrap(device, address, size, onFree), address, size, device.isCpuAccessible());
  }

  /**
   * Copies memory that somebody else owns, and may free when this returns; where {@link #copy} would keep its source alive. The caller owns the
   * result.
   *
   * @param device where the memory is; work that was queued for it is done
   * @param address the device's address of it
   * @param size in bytes
   * @param to where the copy is to be
   */
  public static DeviceBuffer copyNonOwned(Device device, long address, long size, MemoryManager to) {
    try (DeviceBuffer source = wrapped(device, address, size, () -> {})) {
      return source.copy(to);
    }
  }

  /** Where the memory is. */
  public Device device() {
    return device;
  }

  /** The size in bytes. */
  public long size() {
    return size;
  }

  /** Whether the CPU can read and write it. */
  public boolean isCpuAccessible() {
    return isCpuAccessible;
  }

  /** The device pointer, for native code. */
  public long address() {
    checkOpen();
    return address;
  }

  /**
   * The memory as a segment for the CPU. It has no bounds in time: using it after the buffer's memory was freed ends the process.
   *
   * @throws DeviceException with {@code ENOSYS} if the CPU cannot access this memory
   */
  public MemorySegment segment() {
    checkOpen();
    if (!isCpuAccessible) throw new DeviceException(Errno.ENOSYS, "the CPU cannot access memory of " + device);
    return NativeHeap.segment(address, size);
  }

  /** A part of the buffer, without a copy; to be closed by the caller. */
  public DeviceBuffer slice(long offset, long bytes) {
    Objects.checkFromIndexSize(offset, bytes, size);
    return new DeviceBuffer(device, hold(), address + offset, bytes, isCpuAccessible);
  }

  /**
   * The same memory as a buffer of another memory manager's device, without a copy; to be closed by the caller. Memory that the CPU can only
   * access while it is mapped, as OpenCL's coarse-grained one, is mapped until the view is closed; the device must not use it meanwhile.
   *
   * @throws DeviceException with {@code ENOSYS} if that takes a copy
   */
  public DeviceBuffer view(MemoryManager to) {
    return tryView(to)
        .orElseThrow(() -> new DeviceException(Errno.ENOSYS, to.device() + " cannot access the " + this + " without a copy; see viewOrCopy"));
  }

  /**
   * A copy in another memory; done when this returns. To be closed by the caller.
   *
   * @throws DeviceException with {@code ENOMEM} if there is not enough memory, or what the copy failed with
   */
  public DeviceBuffer copy(MemoryManager to) {
    DeviceBuffer result = to.allocate(size);
    try (DeviceBuffer source = slice(0, size)) {
      Copies.copy(source, result);
      return result;
    } catch (Throwable t) {
      result.close();
      throw t;
    }
  }

  /** A {@link #view} if there can be one, else a {@link #copy}; to be closed by the caller. */
  public DeviceBuffer viewOrCopy(MemoryManager to) {
    return tryView(to).orElseGet(() -> copy(to));
  }

  private Optional<DeviceBuffer> tryView(MemoryManager to) {
    Device target = to.device();
    if (target.equals(device)) return Optional.of(slice(0, size));
    boolean reached = isCpuAccessible && (target.isCpu() || target.reaches(device));
    if (reached) return Optional.of(new DeviceBuffer(target, hold(), address, size, isCpuAccessible));
    if (!target.isCpu() || device.isOpaque() || size == 0) return Optional.empty();
    return map(target);
  }

  private Optional<DeviceBuffer> map(Device cpu) {
    DeviceDriver driver = device.driver();
    Allocation held = hold();
    try {
      long mapped = driver.map(address, size);
      if (mapped != 0) {
        Runnable unmap = () -> unmap(driver, held);
        return Optional.of(new DeviceBuffer(cpu, Allocation.wrap(cpu, mapped, size, unmap), mapped, size, true));
      }
    } catch (Throwable t) {
      held.release();
      throw t;
    }
    held.release();
    return Optional.empty();
  }

  private void unmap(DeviceDriver driver, Allocation held) {
    try {
      driver.unmap(address, size);
    } finally {
      held.release();
    }
  }

  /** Reads the buffer, wherever it is. Keeps the memory until it is closed, by the caller. It cannot be written to. */
  public SeekableByteChannel reader() {
    return new BufferChannel(slice(0, size), false);
  }

  /**
   * Writes to the buffer, wherever it is, from its start; reads what is there, too. Its size is fixed: writing beyond it throws an {@link
   * java.io.IOException}. Keeps the memory until it is closed, by the caller.
   */
  public SeekableByteChannel writer() {
    return new BufferChannel(slice(0, size), true);
  }

  /** Gives up the memory, unless the buffer was closed before or moved into an array. */
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

  /** Gives up the memory of a buffer that was taken. */
  void free() {
    allocation.release();
  }

  /** One holder of the memory more, to be released by the caller. */
  Allocation hold() {
    checkOpen();
    allocation.retain();
    return allocation;
  }

  /** The memory of a buffer that is open; borrowed. */
  Allocation allocation() {
    return allocation;
  }

  private void checkOpen() {
    if (spent.get()) throw new IllegalStateException("the buffer was closed or moved into an array");
  }

  /** The size and the device. */
  @Override
  public String toString() {
    return size + " bytes on " + device + (isOpen() ? "" : " (spent)");
  }
}
