// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Devices;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.ipc.internal.memory.FileMap;
import org.arbalest.device.ipc.internal.memory.NativeMemory;
import org.jspecify.annotations.Nullable;

/** Memory with a whole file or stream, and a count of its users: the reader, and each of its arrays. */
final class SharedMemory {
  private final MemorySegment bytes;
  private final Runnable free;
  private final Runnable onFree;
  private final AtomicLong users = new AtomicLong(1);

  /** Releases one use. One object for all arrays, so that they need none of their own. */
  private final Runnable releasing = this::release;

  /** Whether this is a copy in the memory that the application chose, or in the default one. */
  private final boolean isCopy;

  private SharedMemory(MemorySegment bytes, Runnable free, Runnable onFree, boolean isCopy) {
    this.isCopy = isCopy;
    this.bytes = bytes;
    this.free = free;
    this.onFree = onFree;
  }

  /** Maps a whole file. The caller releases the result. */
  static SharedMemory map(Path path) throws IOException {
    FileMap map = FileMap.of(path);
    return new SharedMemory(map.bytes(), map.unmap(), Body.NOTHING, false);
  }

  /**
   * Takes over memory of the application. The caller releases the result.
   *
   * @param copies the memory for a copy of a heap segment; null for the CPU's
   */
  static SharedMemory of(MemorySegment bytes, Runnable onFree, @Nullable MemoryManager copies) {
    Objects.requireNonNull(onFree, "onFree");
    if (bytes.isNative()) return new SharedMemory(bytes, Body.NOTHING, onFree, false);
    MemoryManager memory = copies == null ? Devices.cpu().memory() : copies;
    DeviceBuffer copy = memory.allocate(Math.max(1, bytes.byteSize()));
    try {
      MemorySegment target = copy.segment().asSlice(0, bytes.byteSize());
      target.copyFrom(bytes);
      return new SharedMemory(target, copy::close, onFree, true);
    } catch (Throwable t) {
      copy.close();
      throw t;
    }
  }

  boolean isCopy() {
    return isCopy;
  }

  long address() {
    return bytes.address();
  }

  long size() {
    return bytes.byteSize();
  }

  /** Returns a part of the memory, for FlatBuffers. */
  ByteBuffer part(long position, int size) {
    // by address, so that any thread may read a segment of a confined arena
    return NativeMemory.segment(bytes.address() + position, size).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
  }

  void retain() {
    users.incrementAndGet();
  }

  Runnable releasing() {
    return releasing;
  }

  void release() {
    if (users.decrementAndGet() != 0) return;
    try {
      free.run();
    } finally {
      onFree.run();
    }
  }

  /** Frees the memory without the application's callback: for a reader that could not be made. */
  void abandon() {
    free.run();
  }
}
