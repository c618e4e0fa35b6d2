// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.MemoryManager;
import org.jspecify.annotations.Nullable;

/**
 * All that a builder has allocated, so that nothing is left when it is given up. An allocation that fails gives it up.
 */
final class BuildMemory implements AutoCloseable {
  private final MemoryManager source;
  private final List<@Nullable DeviceBuffer> buffers = new ArrayList<>();
  private final List<GrowableBuffer> growing = new ArrayList<>();

  /** Why there is no memory any more; null while there is. */
  private @Nullable String gone;

  BuildMemory(MemoryManager source) {
    this.source = source;
  }

  DeviceBuffer allocate(long bytes) {
    checkOpen();
    try {
      buffers.add(null); // room first, so that nothing is lost
      DeviceBuffer buffer = source.allocate(bytes);
      buffers.set(buffers.size() - 1, buffer);
      return buffer;
    } catch (Throwable t) {
      close("ran out of memory"); // a builder that got only some of what a value needs would go on wrongly
      throw t;
    }
  }

  /** The beginning of a buffer, which is freed like one. */
  DeviceBuffer part(DeviceBuffer buffer, long bytes) {
    buffers.add(null); // room first, so that nothing is lost
    DeviceBuffer part = buffer.slice(0, bytes);
    buffers.set(buffers.size() - 1, part);
    return part;
  }

  /** Will tell it when the memory is gone. */
  void add(GrowableBuffer buffer) {
    growing.add(buffer);
  }

  /** Frees a buffer before all others. */
  void free(GrowableBuffer buffer) {
    growing.remove(buffer);
    buffers.remove(buffer.free());
  }

  boolean isOpen() {
    return gone == null;
  }

  /** Throws if the memory was freed or moved into an array: whoever still has a builder must not write to it. */
  void checkOpen() {
    if (gone != null)
      throw new IllegalStateException("the batch " + gone + ", and nothing can be appended to it any more");
  }

  /** Frees what was not moved into an array. */
  @Override
  public void close() {
    close("was closed");
  }

  /** The same; says why, if nobody has before. */
  void close(String why) {
    if (gone == null) gone = why;
    growing.forEach(GrowableBuffer::forget);
    growing.clear();
    for (DeviceBuffer buffer : buffers) {
      if (buffer != null) buffer.close();
    }
    buffers.clear();
  }
}
