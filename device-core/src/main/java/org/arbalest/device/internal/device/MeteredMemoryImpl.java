// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.device;

import java.util.concurrent.atomic.AtomicLong;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.MeteredMemory;
import org.arbalest.device.internal.management.Management;
import org.arbalest.device.monitoring.MXBeanRegistration;
import org.arbalest.device.monitoring.MeteredMemoryMXBean;
import org.jspecify.annotations.Nullable;

/** A memory manager that counts the allocations of another memory manager. See {@link MeteredMemory}. */
public final class MeteredMemoryImpl implements MeteredMemory, AllocatingMemory {
  private final MemoryManager upstream;
  private final MemoryAllocator source;
  private final MemoryAllocator meter = new Meter();
  private final long limit;

  private final AtomicLong currentBytes = new AtomicLong();
  private final AtomicLong peakBytes = new AtomicLong();
  private final AtomicLong totalBytes = new AtomicLong();
  private final AtomicLong currentCount = new AtomicLong();
  private final AtomicLong peakCount = new AtomicLong();
  private final AtomicLong totalCount = new AtomicLong();
  private final AtomicLong failedCount = new AtomicLong();

  private MeteredMemoryImpl(MemoryManager upstream, long limit) {
    this.upstream = upstream;
    this.source = AllocatingMemory.allocatorOf(upstream);
    this.limit = limit;
  }

  /** Creates a memory manager that counts the allocations of another one, and limits them to a number of bytes. */
  public static MeteredMemory of(MemoryManager upstream, long limitBytes) {
    if (limitBytes < 0) throw new IllegalArgumentException("a limit is not negative, but " + limitBytes + " was given");
    return new MeteredMemoryImpl(upstream, limitBytes);
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
    return meter;
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

  @Override
  public Statistics statistics() {
    return new Statistics(
        currentBytes.get(), peakBytes.get(), totalBytes.get(), currentCount.get(), peakCount.get(), totalCount.get(),
        failedCount.get(), limit);
  }

  @Override
  public void resetPeak() {
    reset(peakBytes, currentBytes);
    reset(peakCount, currentCount);
  }

  /** Sets a peak. The second step is for an allocation of another thread, whose peak the first one may overwrite. */
  private static void reset(AtomicLong peak, AtomicLong current) {
    peak.set(current.get());
    peak.accumulateAndGet(current.get(), Math::max);
  }

  /** Returns the implementation. Every {@link MeteredMemory} is an instance of this class. */
  public static MeteredMemoryImpl unwrap(MeteredMemory memory) {
    return switch (memory) {
      case MeteredMemoryImpl made -> made;
    };
  }

  /** See {@link MXBeanRegistration#of(MeteredMemory, String)}. */
  public MXBeanRegistration registerMXBean(String name) {
    if (name.isEmpty()) throw new IllegalArgumentException("the name of a metered memory is empty");
    return Management.register("MeteredMemory", name, new MeterBean(this), MeteredMemoryMXBean.class);
  }

  private void reserve(long bytes) {
    long before;
    do {
      before = currentBytes.get();
      if (bytes > limit - before) {
        failedCount.incrementAndGet();
        throw new DeviceException(
            Errno.ENOMEM,
            "the limit of " + limit + " bytes on " + device() + " is reached: ENOMEM, asked for " + bytes
                + " bytes, and " + before + " are in use");
      }
    } while (!currentBytes.compareAndSet(before, before + bytes));
  }

  private void allocated(long bytes) {
    peakBytes.accumulateAndGet(currentBytes.get(), Math::max);
    totalBytes.addAndGet(bytes);
    peakCount.accumulateAndGet(currentCount.incrementAndGet(), Math::max);
    totalCount.incrementAndGet();
  }

  private final class Meter implements MemoryAllocator {
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
      reserve(bytes);
      long address;
      try {
        address = source.allocate(bytes, alignment);
      } catch (Throwable t) {
        currentBytes.addAndGet(-bytes);
        if (t instanceof DeviceException e && e.errno() == Errno.ENOMEM) failedCount.incrementAndGet();
        throw t;
      }
      allocated(bytes);
      return address;
    }

    @Override
    public boolean isReusable(long address, long bytes) {
      return source.isReusable(address, bytes);
    }

    @Override
    public void free(long address, long bytes) {
      currentCount.decrementAndGet();
      currentBytes.addAndGet(-bytes);
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

  private record MeterBean(MeteredMemory memory) implements MeteredMemoryMXBean {
    @Override
    public String getDevice() {
      return memory.device().toString();
    }

    @Override
    public Statistics getStatistics() {
      return memory.statistics();
    }

    @Override
    public long getKeptBytes() {
      return memory.keptBytes();
    }

    @Override
    public void resetPeak() {
      memory.resetPeak();
    }

    @Override
    public void trim() {
      memory.trim();
    }
  }

  /** Returns a text that contains the limit and the upstream memory. */
  @Override
  public String toString() {
    return (limit == Long.MAX_VALUE ? "metered " : "at most " + limit + " bytes of the ") + upstream;
  }
}
