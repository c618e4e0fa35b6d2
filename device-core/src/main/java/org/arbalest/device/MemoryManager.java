// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import com.google.errorprone.annotations.CheckReturnValue;
import java.util.Objects;
import org.arbalest.device.internal.device.AllocatorMemory;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.device.GuardedMemory;
import org.arbalest.device.internal.device.MeteredMemoryImpl;

/**
 * A source of buffers: memory of one kind, on one device. The application does not close a memory manager, except a
 * {@link MemoryPool}. Any thread may use it.
 *
 * <p>{@link Device#memory} is a device's own memory, and {@link Device#hostMemory} is memory that the device shares
 * with the CPU. A {@link MemoryPool} keeps freed memory for later allocations. {@link #of} makes a memory manager from
 * any other {@link MemoryAllocator}.
 */
@CheckReturnValue
public sealed interface MemoryManager permits AllocatorMemory, GuardedMemory, MemoryPool, MeteredMemory {
  /**
   * Creates a memory manager from the application's own allocator, such as another library's pool. The allocator must
   * live as long as any buffer from it. Any stream may use its memory as soon as it is allocated.
   *
   * @param device the device that the buffers are on
   * @param allocator the source of the memory
   */
  static MemoryManager of(Device device, MemoryAllocator allocator) {
    return new AllocatorMemory(device, allocator);
  }

  /**
   * Creates a memory manager from the application's own allocator of memory in the order of a stream, such as RMM's
   * (DEV-31). The allocator allocates and frees in that stream, so that nothing waits.
   *
   * <p>The buffers have the rules of {@link DeviceStream#memory}: other streams wait for this one before they use a
   * buffer, and the library's own copies do so by themselves. Work of other streams is done when a buffer is closed.
   * While the stream is captured, the library frees nothing.
   *
   * @param stream the stream that orders the memory; its queue lives as long as any buffer
   * @param allocator the source of the memory, which the CPU does not access; it lives as long as any buffer
   * @throws IllegalArgumentException if the CPU accesses the memory: it does not wait for a stream
   * @throws DeviceException with {@code ENOSYS} for the default stream of one thread. With CUDA, use the legacy default
   *     stream, which waits for that of each thread, and for which these wait
   */
  static MemoryManager of(DeviceStream stream, MemoryAllocator allocator) {
    Objects.requireNonNull(stream, "stream");
    return DeviceStreamImpl.unwrap(stream).memory(allocator);
  }

  /** Returns the device that the buffers are on. */
  Device device();

  /** Returns whether the CPU can read and write the buffers. */
  boolean isCpuAccessible();

  /**
   * Allocates a buffer of undefined content. The caller owns it.
   *
   * <p>A GPU's memory is always aligned to 256 bytes. A larger alignment takes some more bytes, at no other cost.
   *
   * @param bytes the size in bytes, not negative
   * @param alignment the alignment of the address in bytes; a power of two, at most 4096
   * @throws IllegalArgumentException if the size is negative, or the alignment is not a power of two of at most 4096
   * @throws DeviceException with {@code ENOMEM} if there is not enough memory, {@code ENOSYS} if the device is opaque
   */
  DeviceBuffer allocate(long bytes, long alignment);

  /** Allocates a buffer aligned to 64 bytes, as the columnar format recommends; see {@link #allocate(long, long)}. */
  default DeviceBuffer allocate(long bytes) {
    return allocate(bytes, 64);
  }

  /**
   * Releases kept memory, which buffers no longer use, to the system. This may wait until the device has completed all
   * queued work, and may delay other users of the device meanwhile. Call it while no work is queued.
   *
   * <p>The call also makes the deferred releases of all other memory managers and devices, such as unpinning after
   * {@link Device#pin}. It may thus wait for other devices, too. Only the trim of a {@link MemoryPool} does not do
   * this.
   */
  void trim();

  /** Returns how many bytes of freed memory are kept for later allocations, as far as is known. */
  long keptBytes();

  /**
   * Returns a memory manager that counts the allocations made from it, and takes the memory from this one. The cost is
   * a few atomic additions for each allocation.
   */
  default MeteredMemory metered() {
    return MeteredMemoryImpl.of(this, Long.MAX_VALUE);
  }

  /**
   * Returns a memory manager that takes its memory from this one, and limits the bytes in buffers at any time. An
   * allocation that would exceed the limit fails with {@code ENOMEM}. {@link MeteredMemory} describes how buffers
   * count.
   *
   * @param limitBytes the most bytes in buffers, not negative
   */
  default MeteredMemory limited(long limitBytes) {
    return MeteredMemoryImpl.of(this, limitBytes);
  }

  /**
   * Returns a memory manager that takes its memory from this one, and calls a handler when there is not enough of it
   * (DEV-32).
   *
   * <p>The handler is called once for each allocation that fails, on the allocating thread, which holds no lock of the
   * library. It may close buffers, trim, wait and allocate. If it returns true, the allocation is tried once more. The
   * handler is not called for its own allocations.
   */
  default MemoryManager withOutOfMemoryHandler(OutOfMemoryHandler handler) {
    return new GuardedMemory(this, handler);
  }
}
