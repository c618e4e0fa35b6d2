// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.Objects;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.OutOfMemoryHandler;
import org.jspecify.annotations.Nullable;

/**
 * A memory manager that calls the application's handler when memory runs out, before an allocation fails.
 *
 * <p>See {@link MemoryManager#withOutOfMemoryHandler}.
 */
public final class GuardedMemory implements MemoryManager, AllocatingMemory {
  private final MemoryManager upstream;
  private final MemoryAllocator source;
  private final OutOfMemoryHandler handler;
  private final MemoryAllocator guard = new Guard();

  /** Set on each thread that is inside the handler, so that the handler is not called recursively. */
  private final ThreadLocal<Boolean> asking = new ThreadLocal<>();

  /** Creates a memory manager that calls the handler when {@code upstream} has too little memory. */
  public GuardedMemory(MemoryManager upstream, OutOfMemoryHandler handler) {
    this.upstream = upstream;
    this.source = AllocatingMemory.allocatorOf(upstream);
    this.handler = Objects.requireNonNull(handler, "handler");
  }

  @Override
  public Device device() {
    return upstream.device();
  }

  @Override
  public boolean isCpuAccessible() {
    return upstream.isCpuAccessible();
  }

  @Override
  public DeviceBuffer allocate(long bytes, long alignment) {
    return AllocatingMemory.super.allocate(bytes, alignment);
  }

  @Override
  public MemoryAllocator allocator() {
    return guard;
  }

  @Override
  public @Nullable DeviceQueue orderedBy() {
    return AllocatingMemory.orderOf(upstream);
  }

  @Override
  public void trim() {
    upstream.trim();
  }

  @Override
  public long keptBytes() {
    return upstream.keptBytes();
  }

  private boolean hasFreed(long bytes, DeviceException failure) {
    if (asking.get() != null) return false;
    asking.set(true);
    try {
      return handler.onOutOfMemory(bytes, failure);
    } finally {
      asking.remove();
    }
  }

  private final class Guard implements MemoryAllocator {
    @Override
    public boolean isCpuAccessible() {
      return source.isCpuAccessible();
    }

    @Override
    public long alignment() {
      return source.alignment();
    }

    @Override
    public long allocate(long bytes, long alignment) {
      try {
        return source.allocate(bytes, alignment);
      } catch (DeviceException e) {
        if (e.errno() != Errno.ENOMEM || !hasFreed(bytes, e)) throw e;
      }
      return source.allocate(bytes, alignment);
    }

    @Override
    public boolean isReusable(long address, long bytes) {
      return source.isReusable(address, bytes);
    }

    @Override
    public void free(long address, long bytes) {
      source.free(address, bytes);
    }

    @Override
    public void trim() {
      source.trim();
    }

    @Override
    public long keptBytes() {
      return source.keptBytes();
    }
  }

  @Override
  public String toString() {
    return upstream.toString();
  }
}
