// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.BuiltArray;
import org.arbalest.device.internal.array.DeviceArrayImpl;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.array.RecordedArrays;
import org.arbalest.device.internal.device.CpuDevice;
import org.arbalest.device.internal.device.DeviceBufferImpl;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.DeviceQueue;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.device.RecordedEvent;
import org.arbalest.device.internal.device.SyncEventImpl;
import org.arbalest.device.internal.lifetime.Shared;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.recording.Recording;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.staging.Place;
import org.arbalest.device.internal.staging.Staging;
import org.arbalest.device.internal.staging.Transfer;
import org.arbalest.device.spi.SynchronousDriver;
import org.arbalest.device.types.Field;

/** A copy of an array into one allocation in another memory, by a stream's queue. */
public final class ArrayCopy {
  /** The size in bytes up to which adjacent ranges are gathered in main memory, because each copy has a cost. */
  private static final long SMALL = 16 << 10;

  private final Device source;
  private final Ownership owner;
  private final MemoryManager target;
  private final DeviceStreamImpl stream;

  /** The library's own buffers that the queued copies read, in addition to the source. */
  private final List<DeviceBuffer> staging = new ArrayList<>();

  private ArrayCopy(Device source, Ownership owner, MemoryManager target, DeviceStreamImpl stream) {
    this.source = source;
    this.owner = owner;
    this.target = target;
    this.stream = stream;
  }

  /** Copies an array. The caller closes the copy. See {@link DeviceArray#copyTo(MemoryManager, DeviceStream)}. */
  public static DeviceArray copy(DeviceArrayImpl array, MemoryManager target, DeviceStreamImpl stream) {
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(stream, "stream");
    Recording.OfArray event = Recording.aCopy();
    Ownership owner = array.share();
    try {
      DeviceArray copied = copy(array, owner, target, stream);
      if (event != null) RecordedArrays.describe(event, array.device(), copied);
      return copied;
    } finally {
      owner.release();
    }
  }

  private static DeviceArray copy(DeviceArrayImpl array, Ownership owner, MemoryManager target,
      DeviceStreamImpl stream) {
    Device from = array.device();
    Device to = target.device();
    requirePart(stream, from, owner.isCpuAccessible(), to, target.isCpuAccessible());
    boolean reads = owner.isCpuAccessible() || stream.reaches(from);
    boolean writes = target.isCpuAccessible() || stream.reaches(to);
    if (reads && writes) return new ArrayCopy(from, owner, target, stream).copy(array);
    DeviceStream first = reads ? stream : from.defaultStream();
    DeviceStream second = writes ? stream : to.defaultStream();
    try (DeviceArray between = array.copyTo(from.hostMemory().orElseGet(() -> CpuDevice.get().memory()), first)) {
      return between.copyTo(target, second);
    }
  }

  /**
   * Rejects a stream of a third device. It would not order the work of either of these devices, so it is considered a
   * mistake (DEV-21).
   */
  private static void requirePart(DeviceStreamImpl stream, Device from, boolean isFromCpuAccessible, Device to,
      boolean isToCpuAccessible) {
    if (hasPart(stream, from, isFromCpuAccessible) || hasPart(stream, to, isToCpuAccessible)) return;
    throw noPart(stream, from.equals(to) ? "a copy on " + from : "a copy from " + from + " to " + to);
  }

  /**
   * Returns whether a stream belongs to a device, or to a device that reads and writes this memory of it. The CPU does
   * so with host memory.
   */
  static boolean hasPart(DeviceStreamImpl stream, Device device, boolean isCpuAccessible) {
    return (isCpuAccessible && DeviceImpl.unwrap(stream.device()).isCpu()) || stream.reaches(device);
  }

  static IllegalArgumentException noPart(DeviceStreamImpl stream, String asked) {
    return new IllegalArgumentException(
        "a stream of " + stream.device() + " was given for " + asked + "; use a stream of a device that takes part");
  }

  private DeviceArray copy(DeviceArrayImpl array) {
    DeviceQueue queue = stream.hold();
    DeviceBuffer memory = null;
    CopyPlan plan = null;
    Transfer transfer = null;
    try {
      plan = plan(queue, array);
      memory = target.allocate(plan.ranges.total);
      stream.waitForMemory(memory);
      plan.ranges.pointInto(memory.address());
      if (target.isCpuAccessible()) plan.ranges.clearGaps(memory.address()); // a peer can read the gaps
      transfer = queue.transfer();
      layOut(transfer, queue, plan.ranges, plan.ends.hostReads, memory.address());
      Shared there = DeviceBufferImpl.unwrap(memory).allocation();
      RecordedEvent event = queue.queue(transfer, plan.ends.hostReads, true, held(there));
      try {
        DeviceStreamImpl.keepUntil(event, held(transfer));
        return handle(array, DeviceBufferImpl.unwrap(memory), plan.block(), event);
      } catch (Throwable t) {
        keepQuietly(event, there);
        event.release();
        throw t;
      }
    } catch (Throwable t) {
      if (memory != null) memory.close();
      if (plan != null) NativeHeap.free(plan.block());
      throw t;
    } finally {
      for (DeviceBuffer buffer : staging) buffer.close(); // the wait has its own references
      if (transfer != null) transfer.release();
      queue.release();
    }
  }

  private DeviceArray handle(DeviceArrayImpl array, DeviceBufferImpl memory, long block, RecordedEvent event) {
    boolean isOver = event.point.isKnownDone();
    DeviceArrayImpl result =
        DeviceArrayImpl.of(target.device(), array.field(), block, RawArrowArray.offset(block), array.length());
    BuiltArray built = new BuiltArray(List.of(memory), block, target.device(), isOver ? null : event, false);
    memory.take();
    if (isOver) event.release();
    return result.holding(built);
  }

  private CopyPlan plan(DeviceQueue queue, DeviceArrayImpl array) {
    EventPoint event = owner.event();
    // throws an error which says that no backend serves the device
    if (event == null && owner.syncEvent() != 0) DeviceImpl.unwrap(source).driver();
    boolean hasText = hasText(Layout.of(array.field()));
    if (event != null) {
      if (owner.isCpuAccessible() && hasText) {
        SyncEventImpl.synchronize(event, owner);
      } else {
        stream.waitFor(event, owner);
      }
    }
    CopyPlan plan = new CopyPlan(owner, owner.isCpuAccessible() && (event == null || event.isKnownDone()), staging);
    try {
      plan.measure(array.field(), array.struct(owner), array.offset(), array.length());
      fetch(queue, plan.ends);
      plan.write(array.field(), array.struct(owner), array.offset(), array.length());
      return plan;
    } catch (Throwable t) {
      NativeHeap.free(plan.block());
      throw t;
    }
  }

  private static boolean hasText(Layout layout) {
    if (layout.shape == Layout.Shape.VARIABLE) return true;
    for (Field child : layout.children) {
      if (hasText(Layout.of(child))) return true;
    }
    return layout.dictionary != null && hasText(layout.dictionary.layout);
  }

  /** Fetches the offsets at which texts end to main memory, with one wait for all of them. */
  private void fetch(DeviceQueue queue, TextEnds ends) {
    if (ends.count() == 0) return;
    long[] values = new long[ends.count()];
    long bytes = (long) Long.BYTES * values.length;
    try (DeviceBuffer landing = CpuDevice.get().allocate(bytes)) {
      NativeHeap.fill(landing.address(), bytes, (byte) 0);
      Transfer transfer = queue.transfer();
      try {
        Place from = queue.place(source);
        Place to = queue.place(CpuDevice.get());
        for (int i = 0; i < values.length; i++) {
          long place = landing.address() + (long) Long.BYTES * i;
          if (ends.address(i) != 0) transfer.add(to, place, from, ends.address(i), ends.width(i));
        }
        queue.await(transfer, owner, DeviceBufferImpl.unwrap(landing).allocation());
      } finally {
        transfer.release();
      }
      for (int i = 0; i < values.length; i++) {
        long at = landing.address() + (long) Long.BYTES * i;
        values[i] = ends.width(i) == Long.BYTES ? NativeHeap.getLong(at) : NativeHeap.getInt(at);
      }
    }
    ends.fetched(values);
  }

  /** Adds the ranges to the transfer. Some of them become one copy. */
  private void layOut(Transfer transfer, DeviceQueue queue, CopyRanges ranges, boolean hostReads, long base) {
    Staging way = queue.staging();
    Place from = queue.place(source);
    Place to = queue.place(target.device());
    long small = !hostReads || queue.driver instanceof SynchronousDriver ? -1
        : way != null && way.gathers() ? Staging.SMALL : SMALL;
    boolean merge = owner instanceof BuiltArray built && built.isOneAllocation();
    int i = 0;
    while (i < ranges.count) {
      int end = smallOnes(ranges, i, small);
      if (end - i >= 2) {
        if (way == null) {
          addGathered(transfer, ranges, i, end, base);
        } else {
          for (; i < end; i++) add(transfer, to, base + ranges.at[i], Place.PAGEABLE, ranges.from[i], ranges.bytes[i]);
        }
        i = end;
        continue;
      }
      end = i + 1;
      while (merge && end < ranges.count && ranges.follows(end)) end++;
      add(transfer, to, base + ranges.at[i], ranges.isOurs[i] ? Place.PAGEABLE : from, ranges.from[i],
          ranges.span(i, end));
      i = end;
    }
  }

  private static void add(Transfer transfer, Place to, long target, Place from, long source, long bytes) {
    if (bytes > 0) transfer.add(to, target, from, source, bytes);
  }

  private static int smallOnes(CopyRanges ranges, int first, long most) {
    int end = first;
    while (end < ranges.count && ranges.bytes[end] <= most) end++;
    return end;
  }

  /** Gathers ranges in a buffer, for a device without staging slots. */
  private void addGathered(Transfer transfer, CopyRanges ranges, int first, int end, long base) {
    long start = ranges.at[first];
    long bytes = ranges.span(first, end);
    if (bytes == 0) return;
    DeviceBuffer buffer = CpuDevice.get().allocate(bytes);
    staging.add(buffer);
    NativeHeap.fill(buffer.address(), bytes, (byte) 0);
    for (int i = first; i < end; i++) {
      NativeHeap.copy(ranges.from[i], buffer.address() + ranges.at[i] - start, ranges.bytes[i]);
    }
    transfer.add(Place.DEVICE, base + start, Place.DEVICE, buffer.address(), bytes);
  }

  /** Returns the objects that the queued copies use: the owner, one more object and the library's own buffers. */
  private Shared[] held(Shared other) {
    Shared[] held = new Shared[2 + staging.size()];
    held[0] = owner;
    held[1] = other;
    for (int i = 0; i < staging.size(); i++) held[2 + i] = DeviceBufferImpl.unwrap(staging.get(i)).allocation();
    return held;
  }

  /** Keeps the memory until the copies in progress are done. Nothing is freed under them. */
  private void keepQuietly(RecordedEvent event, Shared memory) {
    try {
      DeviceStreamImpl.keepUntil(event, memory);
    } catch (Throwable t) {
      Faults.report("waiting for abandoned copies on " + stream.device(), t);
    }
  }
}
