// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import com.google.errorprone.annotations.CheckReturnValue;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SeekableByteChannel;
import org.arbalest.device.internal.device.DeviceBufferImpl;

/**
 * A block of one device's memory. The caller that allocates a buffer owns it, and closes it or moves it into a
 * {@link DeviceArray}. Any thread may use a buffer. The content is not synchronized between threads, nor with queued
 * work: wait for that first.
 *
 * <p>Slices and views share the memory, which is freed when the last of them is closed. Closing twice does nothing.
 */
@CheckReturnValue
public sealed interface DeviceBuffer extends AutoCloseable permits DeviceBufferImpl {
  /**
   * Wraps memory that other code allocated. The caller owns the buffer.
   *
   * @param device the device of the memory
   * @param address the address of the memory on the device; may be 0 if the size is 0
   * @param size the size in bytes
   * @param onFree run once, on any thread, when nothing in this library uses the memory any more. Objects that it
   *     refers to stay reachable until then. If the address is that of an automatic arena's segment, {@code onFree}
   *     must refer to the segment (OWN-14)
   */
  static DeviceBuffer wrap(Device device, long address, long size, Runnable onFree) {
    return DeviceBufferImpl.wrap(device, address, size, onFree);
  }

  /**
   * Wraps memory that has the same owner as another buffer. The caller owns the result. The other buffer's memory is
   * freed, and its {@code onFree} runs, when the last of these buffers is closed, or the last array made of them.
   *
   * <p>Thus an object that owns several blocks, such as the values and the validity of a column, becomes several
   * buffers. The first may have no bytes. If a later call fails, all are closed, and the object is released once:
   *
   * <pre>{@code
   * try (DeviceBuffer owner = DeviceBuffer.wrap(device, 0, 0, column::close);
   *     DeviceBuffer validity = DeviceBuffer.wrap(device, bitmap, bitmapBytes, owner);
   *     DeviceBuffer values = DeviceBuffer.wrap(device, data, dataBytes, owner)) {
   *   return DeviceArray.of(field, ArrayData.of(rows, nulls, List.of(validity, values)), stream);
   * }
   * }</pre>
   *
   * @param device the device of the memory
   * @param address the address of the memory on the device; may be 0 if the size is 0
   * @param size the size in bytes
   * @param owner an open buffer, which stays open
   * @throws IllegalStateException if the owner is closed, or has moved into an array
   */
  static DeviceBuffer wrap(Device device, long address, long size, DeviceBuffer owner) {
    return DeviceBufferImpl.wrap(device, address, size, owner);
  }

  /**
   * Copies memory that other code owns, and may free when this call returns. The caller owns the result.
   * ({@link #copyTo} would keep its source alive.)
   *
   * @param device the device of the memory; all work queued for the memory is complete
   * @param address the address of the memory on the device
   * @param size the size in bytes
   * @param to the memory of the copy
   */
  static DeviceBuffer copyNonOwned(Device device, long address, long size, MemoryManager to) {
    return DeviceBufferImpl.copyNonOwned(device, address, size, to);
  }

  /** Returns the device of the memory. */
  Device device();

  /** Returns the size in bytes. */
  long size();

  /** Returns whether the CPU can read and write the memory. */
  boolean isCpuAccessible();

  /** Returns the device pointer, for native code. */
  long address();

  /**
   * Returns the memory as a segment for the CPU, safe as long as it can be used. The arena keeps the memory until the
   * arena is closed, even if this buffer is closed or moved into an array earlier. An automatic arena keeps the memory
   * until the segment is unreachable, the global arena keeps it forever.
   *
   * @throws DeviceException with {@code ENOSYS} if the CPU cannot access this memory
   */
  MemorySegment segment(Arena arena);

  /**
   * Returns the memory as a segment for the CPU, without a bound on its lifetime: using it after the buffer's memory
   * was freed ends the process. Prefer {@link #segment(Arena)}, except in the innermost loops.
   *
   * @throws DeviceException with {@code ENOSYS} if the CPU cannot access this memory
   */
  MemorySegment segment();

  /**
   * Returns a part of the buffer, without a copy. The caller closes it.
   *
   * @param offset the first byte
   * @param bytes the size in bytes
   * @throws IndexOutOfBoundsException if the part is not within the buffer
   */
  DeviceBuffer slice(long offset, long bytes);

  /**
   * Returns the same memory as a buffer of another memory manager's device, without a copy. The caller closes it.
   *
   * <p>The CPU can access some memory only while it is mapped, such as OpenCL's coarse-grained memory. Such memory is
   * mapped until the view is closed, and the device must not use it meanwhile.
   *
   * @throws DeviceException with {@code ENOSYS} if a copy is necessary
   */
  DeviceBuffer view(MemoryManager to);

  /**
   * Copies the buffer to another memory; the copy is complete when this call returns. The caller closes it.
   * {@link DeviceArray#copyTo(MemoryManager, DeviceStream)} and {@link DeviceStream#copy} only queue a copy.
   *
   * @throws DeviceException with {@code ENOMEM} if there is not enough memory; with the error of the copy
   */
  DeviceBuffer copyTo(MemoryManager to);

  /** Returns a {@link #view} if one is possible, otherwise a {@link #copyTo copy}. The caller closes it. */
  DeviceBuffer viewOrCopyTo(MemoryManager to);

  /**
   * Opens a channel that reads the buffer, on any device. It cannot write. It keeps the memory until the caller closes
   * it.
   */
  SeekableByteChannel reader();

  /**
   * Opens a channel that writes to the buffer from its start, and reads, on any device. The caller closes it; it keeps
   * the memory until then. The size is fixed: writing beyond the end throws an {@link java.io.IOException}.
   */
  SeekableByteChannel writer();

  /** Releases the memory, unless the buffer was closed before or moved into an array. */
  @Override
  void close();
}
