// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.SeekableByteChannel;
import org.arbalest.device.internal.device.DeviceBufferImpl;

/**
 * A piece of one device's memory. Owned by whoever allocated it, until it is moved into a {@link DeviceArray}. Slices
 * and views share the memory, which is freed when the last of them was closed.
 *
 * <p>Closing twice does nothing. Content is not synchronised between threads, nor with work that is queued: wait for
 * that first.
 */
public sealed interface DeviceBuffer extends AutoCloseable permits DeviceBufferImpl {
  /**
   * Memory that somebody else allocated, as a buffer; owned by the caller.
   *
   * @param device where it is
   * @param address the device's address of it
   * @param size in bytes
   * @param onFree run once, when nobody here uses the memory any more; on any thread. What it refers to stays reachable
   *     until then: a segment of an automatic arena whose address this is must be among it (OWN-14)
   */
  static DeviceBuffer wrap(Device device, long address, long size, Runnable onFree) {
    return DeviceBufferImpl.wrap(device, address, size, onFree);
  }

  /**
   * Copies memory that somebody else owns, and may free when this returns; where {@link #copyTo} would keep its source
   * alive. The caller owns the result.
   *
   * @param device where the memory is; work that was queued for it is done
   * @param address the device's address of it
   * @param size in bytes
   * @param to where the copy is to be
   */
  static DeviceBuffer copyNonOwned(Device device, long address, long size, MemoryManager to) {
    return DeviceBufferImpl.copyNonOwned(device, address, size, to);
  }

  /** Where the memory is. */
  Device device();

  /** The size in bytes. */
  long size();

  /** Whether the CPU can read and write it. */
  boolean isCpuAccessible();

  /** The device pointer, for native code. */
  long address();

  /**
   * The memory as a segment for the CPU, which keeps it until the arena is closed, also if this buffer is closed or
   * moved into an array before: safe for as long as it can be used. An automatic arena keeps the memory until the
   * segment is unreachable, the global one for good.
   *
   * @throws DeviceException with {@code ENOSYS} if the CPU cannot access this memory
   */
  MemorySegment segment(Arena arena);

  /**
   * The memory as a segment for the CPU. It has no bounds in time: using it after the buffer's memory was freed ends
   * the process. {@link
   * #segment(Arena)} is for all but the inmost loops.
   *
   * @throws DeviceException with {@code ENOSYS} if the CPU cannot access this memory
   */
  MemorySegment segment();

  /** A part of the buffer, without a copy; to be closed by the caller. */
  DeviceBuffer slice(long offset, long bytes);

  /**
   * The same memory as a buffer of another memory manager's device, without a copy; to be closed by the caller. Memory
   * that the CPU can only access while it is mapped, as OpenCL's coarse-grained one, is mapped until the view is
   * closed; the device must not use it meanwhile.
   *
   * @throws DeviceException with {@code ENOSYS} if that takes a copy
   */
  DeviceBuffer view(MemoryManager to);

  /**
   * A copy in another memory; done when this returns. To be closed by the caller.
   *
   * @throws DeviceException with {@code ENOMEM} if there is not enough memory, or what the copy failed with
   */
  DeviceBuffer copyTo(MemoryManager to);

  /** A {@link #view} if there can be one, else a {@link #copyTo}; to be closed by the caller. */
  DeviceBuffer viewOrCopyTo(MemoryManager to);

  /** Reads the buffer, wherever it is. Keeps the memory until it is closed, by the caller. It cannot be written to. */
  SeekableByteChannel reader();

  /**
   * Writes to the buffer, wherever it is, from its start; reads what is there, too. Its size is fixed: writing beyond
   * it throws an {@link java.io.IOException}. Keeps the memory until it is closed, by the caller.
   */
  SeekableByteChannel writer();

  /** Gives up the memory, unless the buffer was closed before or moved into an array. */
  @Override
  void close();
}
