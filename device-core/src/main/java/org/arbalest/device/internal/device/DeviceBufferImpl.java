// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SeekableByteChannel;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.spi.DeviceDriver;
import org.jspecify.annotations.Nullable;

/** A handle to some bytes of an {@link Allocation}. See {@link DeviceBuffer}. */
public final class DeviceBufferImpl implements DeviceBuffer {
  /** The address of wrapped buffers without bytes, if their owner has none. An empty array may read one offset of 0. */
  private static final long NO_BYTES = noBytes();

  private final Device device;
  private final Allocation allocation;
  private final long address;
  private final long size;
  private final boolean isCpuAccessible;
  private final AtomicBoolean consumed = new AtomicBoolean();
  private final Leaks.@Nullable Watch watch;

  private static long noBytes() {
    long address = NativeHeap.allocate(Long.BYTES);
    NativeHeap.putLong(address, 0);
    return address;
  }

  /** Takes over one reference to the allocation. */
  private DeviceBufferImpl(Device device, Allocation allocation, long address, long size, boolean isCpuAccessible) {
    this.device = device;
    this.allocation = allocation;
    this.address = address;
    this.size = size;
    this.isCpuAccessible = isCpuAccessible;
    this.watch = Leaks.isDue() ? Leaks.watch(this, "DeviceBuffer of " + size + " bytes on " + device) : null;
    if (watch != null) watch.opened();
  }

  static DeviceBuffer allocate(Device device, MemoryAllocator allocator, @Nullable DeviceQueue orderedBy, long size,
      long alignment) {
    boolean isCpuAccessible = allocator.isCpuAccessible();
    Allocation allocation = Allocation.allocate(device, allocator, orderedBy, size, alignment);
    return new DeviceBufferImpl(device, allocation, allocation.address, size, isCpuAccessible);
  }

  /** Returns the implementation. Every {@link DeviceBuffer} is an instance of this class. */
  public static DeviceBufferImpl unwrap(DeviceBuffer buffer) {
    return (DeviceBufferImpl) buffer;
  }

  /**
   * Wraps memory of another owner on a device. When the last reference is released, {@code onFree} notifies the owner.
   */
  public static DeviceBuffer wrap(Device device, long address, long size, Runnable onFree) {
    Objects.requireNonNull(onFree, "onFree");
    return wrapped(device, address, size, onFree);
  }

  private static DeviceBuffer wrapped(Device device, long address, long size, Runnable onFree) {
    long checked = checked(device, address, size);
    return wrapped(device, checked, size, device.isCpuAccessible(), onFree);
  }

  /** Wraps memory that has the same owner as another buffer. */
  public static DeviceBuffer wrap(Device device, long address, long size, DeviceBuffer owner) {
    Objects.requireNonNull(owner, "owner");
    long checked = checked(device, address, size);
    Allocation held = unwrap(owner).hold();
    try {
      return new DeviceBufferImpl(device, held, checked, size, device.isCpuAccessible());
    } catch (Throwable t) {
      held.release();
      throw t;
    }
  }

  /** Returns the address, or one that is not NULL for no bytes (ARR-08). Throws if no memory can be there. */
  private static long checked(Device device, long address, long size) {
    Objects.requireNonNull(device, "device");
    if (size < 0 || (address == 0 && size > 0))
      throw new IllegalArgumentException("no buffer is at " + address + " with " + size + " bytes");
    return address == 0 ? NO_BYTES : address;
  }

  /**
   * Wraps memory that its owner frees when {@code onFree} notifies it. The owner knows whether the CPU can access the
   * memory.
   */
  public static DeviceBuffer wrapped(Device device, long address, long size, boolean isCpuAccessible, Runnable onFree) {
    return new DeviceBufferImpl(device, Allocation.wrap(device, address, size, onFree), address, size, isCpuAccessible);
  }

  /** Copies memory that the caller keeps valid during this call. The caller closes the copy. */
  public static DeviceBuffer copyNonOwned(Device device, long address, long size, MemoryManager to) {
    try (DeviceBuffer source = wrapped(device, address, size, () -> {})) {
      return source.copyTo(to);
    }
  }

  @Override
  public Device device() {
    return device;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public boolean isCpuAccessible() {
    return isCpuAccessible;
  }

  @Override
  public long address() {
    checkOpen();
    return address;
  }

  @Override
  public MemorySegment segment(Arena arena) {
    Objects.requireNonNull(arena, "arena");
    MemorySegment raw = segment();
    Allocation held = hold();
    try {
      return raw.reinterpret(arena, _ -> held.release());
    } catch (Throwable t) {
      held.release();
      throw t;
    }
  }

  @Override
  public MemorySegment segment() {
    checkOpen();
    if (!isCpuAccessible) throw new DeviceException(Errno.ENOSYS,
        "the CPU cannot access memory of " + device + ": copy the buffer by copyTo, or use reader() and writer()");
    return NativeHeap.segment(address, size);
  }

  @Override
  public DeviceBufferImpl slice(long offset, long bytes) {
    Objects.checkFromIndexSize(offset, bytes, size);
    return new DeviceBufferImpl(device, hold(), address + offset, bytes, isCpuAccessible);
  }

  @Override
  public DeviceBuffer view(MemoryManager to) {
    return tryView(to)
        .orElseThrow(() -> new DeviceException(Errno.ENOSYS,
            to.device() + " cannot access the " + this + " without a copy; use viewOrCopyTo"));
  }

  @Override
  public DeviceBuffer copyTo(MemoryManager to) {
    DeviceBuffer result = to.allocate(size);
    try (DeviceBuffer source = slice(0, size)) {
      Copies.copy(source, result);
      return result;
    } catch (Throwable t) {
      result.close();
      throw t;
    }
  }

  @Override
  public DeviceBuffer viewOrCopyTo(MemoryManager to) {
    return tryView(to).orElseGet(() -> copyTo(to));
  }

  private Optional<DeviceBuffer> tryView(MemoryManager to) {
    Device target = to.device();
    if (target.equals(device)) return Optional.of(slice(0, size));
    DeviceImpl reaching = DeviceImpl.unwrap(target);
    boolean reached = isCpuAccessible && (reaching.isCpu() || reaching.reaches(device));
    if (reached) return Optional.of(new DeviceBufferImpl(target, hold(), address, size, isCpuAccessible));
    if (!reaching.isCpu() || device.isOpaque() || size == 0) return Optional.empty();
    return map(target);
  }

  private Optional<DeviceBuffer> map(Device cpu) {
    DeviceDriver driver = DeviceImpl.unwrap(device).driver();
    Allocation held = hold();
    try {
      long mapped = driver.map(address, size);
      if (mapped != 0) {
        Runnable unmap = () -> unmap(driver, held);
        return Optional.of(new DeviceBufferImpl(cpu, Allocation.wrap(cpu, mapped, size, unmap), mapped, size, true));
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

  @Override
  public SeekableByteChannel reader() {
    return new BufferChannel(slice(0, size), false);
  }

  @Override
  public SeekableByteChannel writer() {
    return new BufferChannel(slice(0, size), true);
  }

  @Override
  public void close() {
    if (take()) free();
  }

  /** Returns whether the buffer was neither closed nor taken. */
  public boolean isOpen() {
    return !consumed.get();
  }

  /**
   * Takes the buffer away from its creator. The caller must then call {@link #free}. Returns false if the buffer was
   * closed or taken before.
   */
  public boolean take() {
    if (consumed.getAndSet(true)) return false;
    if (watch != null) watch.closed(this);
    return true;
  }

  /** Reverts {@link #take}: the buffer is open again. */
  public void untake() {
    if (watch != null) watch.opened(); // first, since another thread may close the buffer at once
    consumed.set(false);
  }

  /** Returns the device pointer of a buffer that was taken. */
  public long pointer() {
    return address;
  }

  /** Releases the reference to the memory of a buffer that was taken. */
  public void free() {
    allocation.release();
  }

  /** Adds one reference to the memory, which the caller must release. */
  Allocation hold() {
    checkOpen();
    allocation.retain();
    return allocation;
  }

  /** Returns the memory of an open buffer as a borrowed reference. */
  public Allocation allocation() {
    return allocation;
  }

  private void checkOpen() {
    if (consumed.get()) throw new IllegalStateException("the buffer was closed or moved into an array");
  }

  /** Returns a text that contains the size, the device and whether the buffer is consumed. */
  @Override
  public String toString() {
    return size + " bytes on " + device + (isOpen() ? "" : " (consumed)");
  }
}
