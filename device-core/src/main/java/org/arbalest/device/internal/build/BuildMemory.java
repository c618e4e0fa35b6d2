// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.MemoryManager;
import org.jspecify.annotations.Nullable;

/**
 * All buffers that a builder has allocated. {@link #close} frees those that did not move into an array. A failed
 * allocation closes the memory, too.
 */
final class BuildMemory implements AutoCloseable {
  private final MemoryManager source;
  private final List<@Nullable DeviceBuffer> buffers = new ArrayList<>();
  private final List<GrowableBuffer> growing = new ArrayList<>();

  /** The reason why the memory is closed; null while it is open. */
  private @Nullable String gone;

  BuildMemory(MemoryManager source) {
    this.source = source;
  }

  DeviceBuffer allocate(long bytes) {
    checkOpen();
    try {
      buffers.add(null); // first makes the list grow, so that no buffer is lost
      DeviceBuffer buffer = source.allocate(bytes);
      buffers.set(buffers.size() - 1, buffer);
      return buffer;
    } catch (Throwable t) {
      close("ran out of memory"); // with only a part of the memory for a value, the builder would be in a wrong state
      throw t;
    }
  }

  /** Returns the first bytes of a buffer as a buffer of its own, which is freed like any other. */
  DeviceBuffer part(DeviceBuffer buffer, long bytes) {
    buffers.add(null); // first makes the list grow, so that no buffer is lost
    DeviceBuffer part = buffer.slice(0, bytes);
    buffers.set(buffers.size() - 1, part);
    return part;
  }

  /** Registers a buffer, whose {@link GrowableBuffer#forget} is called when the memory is closed. */
  void add(GrowableBuffer buffer) {
    growing.add(buffer);
  }

  /** Frees one buffer before the others. */
  void free(GrowableBuffer buffer) {
    growing.remove(buffer);
    buffers.remove(buffer.free());
  }

  boolean isOpen() {
    return gone == null;
  }

  /** Throws if the memory was freed or moved into an array. A builder that the caller kept must not write to it. */
  void checkOpen() {
    if (gone != null)
      throw new IllegalStateException("the batch " + gone + ", and nothing can be appended to it any more");
  }

  /** Frees the buffers that did not move into an array. */
  @Override
  public void close() {
    close("was closed");
  }

  /** Frees the buffers like {@link #close()}, and records the reason unless one is recorded already. */
  void close(String why) {
    if (gone == null) gone = why;
    for (GrowableBuffer buffer : growing) buffer.forget();
    growing.clear();
    for (DeviceBuffer buffer : buffers) {
      if (buffer != null) buffer.close();
    }
    buffers.clear();
  }
}
