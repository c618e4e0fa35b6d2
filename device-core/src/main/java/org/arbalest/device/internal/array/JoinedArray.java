// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.util.List;
import org.arbalest.device.Device;
import org.arbalest.device.Validation;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.device.RecordedEvent;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * The ownership of an array whose children belong to several other arrays. Its own structs are in one block. They refer
 * to the structs and buffers of the other arrays. {@link ColumnJoin} makes it.
 */
final class JoinedArray extends Ownership {
  private final List<Ownership> sources;
  private final long block;
  private final boolean isCpuAccessible;
  private final boolean storesDataSizes;

  /** The only source that may not be ready, or null. */
  private final @Nullable Ownership awaited;

  /** The event after the events of several sources that may not be ready, or null. */
  private final @Nullable RecordedEvent event;

  private JoinedArray(List<Ownership> sources, long block, boolean isCpuAccessible, boolean storesDataSizes,
      @Nullable Ownership awaited, @Nullable RecordedEvent event, boolean hasEmpty) {
    super(hasEmpty);
    this.sources = sources;
    this.block = block;
    this.isCpuAccessible = isCpuAccessible;
    this.storesDataSizes = storesDataSizes;
    this.awaited = awaited;
    this.event = event;
  }

  /**
   * Takes over a reference to each source, and the block of a {@link StructBlock}. On failure, the caller still has
   * both. If several sources may not be ready, a stream waits for them, which may block this thread.
   *
   * @param sources the other arrays, each once
   * @param storesDataSizes whether all structs store their data sizes; otherwise none does
   */
  static JoinedArray of(Device device, List<Ownership> sources, long block, boolean storesDataSizes, boolean isEmpty) {
    boolean hasEmpty = isEmpty;
    boolean isCpuAccessible = true;
    Ownership awaited = null;
    long cell = 0;
    boolean several = false;
    for (Ownership source : sources) {
      hasEmpty |= source.hasEmpty;
      isCpuAccessible &= source.isCpuAccessible();
      long other = source.syncEvent();
      if (other == 0) continue;
      several |= awaited != null && other != cell;
      awaited = source;
      cell = other;
    }
    RecordedEvent event = several ? eventAfter(device, sources) : null;
    return new JoinedArray(sources, block, isCpuAccessible, storesDataSizes, several ? null : awaited, event, hasEmpty);
  }

  /** Lets a stream wait for the events of all sources, and returns an event after them. The caller releases it. */
  private static RecordedEvent eventAfter(Device device, List<Ownership> sources) {
    DeviceStreamImpl stream = null;
    for (Ownership source : sources) {
      EventPoint point = source.event();
      if (point == null) {
        if (source.syncEvent() == 0) continue;
        throw DeviceImpl.unwrap(device).refusal("the event of a column's array cannot complete here");
      }
      // arrays in main memory may have the events of a GPU, whose own stream waits without blocking this thread
      if (stream == null) stream = DeviceStreamImpl.unwrap(point.device.defaultStream());
      stream.waitFor(point, source);
    }
    if (stream == null) stream = DeviceStreamImpl.unwrap(device.defaultStream()); // all are ready meanwhile
    return stream.recordEvent();
  }

  @Override
  public long syncEvent() {
    if (event != null) return event.point.isKnownDone() ? 0 : event.point.cell;
    return awaited == null ? 0 : awaited.syncEvent();
  }

  @Override
  public boolean mayHaveToWait() {
    if (event != null) return !event.point.isKnownDone();
    return awaited != null && awaited.mayHaveToWait();
  }

  @Override
  public @Nullable EventPoint event() {
    if (event != null) return event.point;
    return awaited == null ? null : awaited.event();
  }

  @Override
  public long dataSize(long struct) {
    return storesDataSizes ? sizeBehindBuffers(struct) : Long.MAX_VALUE;
  }

  @Override
  boolean storesDataSizes() {
    return storesDataSizes;
  }

  @Override
  public boolean isCpuAccessible() {
    return isCpuAccessible;
  }

  /** Checks all buffers if one source would check its own, because those are not known among the others. */
  @Override
  public void checkBuffers(Field field, long struct, Validation level) {
    for (Ownership source : sources) source.checkBuffers(field, struct, level);
  }

  @Override
  long bytes() {
    long sum = 0;
    for (Ownership source : sources) {
      long bytes = source.bytes();
      if (bytes < 0) return bytes;
      sum += bytes;
    }
    return sum;
  }

  @Override
  void freeArray() {
    if (event != null) event.release();
    NativeHeap.free(block);
    for (Ownership source : sources) source.release();
  }
}
