// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.util.Objects;
import org.arbalest.device.Conversion;
import org.arbalest.device.internal.device.DeviceBufferImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.device.RecordedEvent;
import org.arbalest.device.internal.memory.NativeHeap;
import org.jspecify.annotations.Nullable;

/**
 * The ownership of an array that was made from another one. Its own structs are in one block. They refer to the other
 * array's buffers, and to the buffers that had to be written again.
 */
public final class ConvertedArray extends DerivedArray {
  /** The ownership of the other array; null if none of its buffers are used. */
  private final @Nullable Ownership source;

  /** The array whose event is the event of this one; null if it has its own event, or needs none. */
  private final @Nullable Ownership awaited;

  /** The event behind the work that writes the memory and waits for the other array; null if the CPU wrote it. */
  private final @Nullable RecordedEvent event;

  private final @Nullable DeviceBufferImpl memory;
  private final long block;
  private final Conversion conversion;
  private final boolean isCpuAccessible;
  private final long bytes;

  /**
   * Takes over references to the source and the event, if it has these, the memory, and the block of a
   * {@link StructBlock}. With an event, another reference keeps the memory until the event is over.
   */
  public ConvertedArray(
      @Nullable Ownership source, @Nullable DeviceBufferImpl memory, long block, Conversion conversion,
      @Nullable RecordedEvent event, boolean hasEmpty) {
    super(hasEmpty);
    this.source = source;
    this.awaited = source == null || event != null ? null : source.awaited();
    this.event = event;
    this.isCpuAccessible = source == null || source.isCpuAccessible(); // the CPU wrote the new memory
    long shared = source == null ? 0 : source.bytes();
    this.bytes = shared < 0 ? shared : shared + (memory == null ? 0 : memory.size());
    this.memory = memory;
    this.block = block;
    this.conversion = conversion;
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
  Ownership awaited() {
    return awaited == null ? this : awaited;
  }

  @Override
  public long dataSize(long struct) {
    return sizeBehindBuffers(struct);
  }

  @Override
  public Conversion conversion() {
    return conversion;
  }

  @Override
  public boolean isCpuAccessible() {
    return isCpuAccessible;
  }

  @Override
  long bytes() {
    return bytes;
  }

  /** Returns the bytes of memory that belong to this array alone. */
  long ownBytes() {
    return memory == null ? 0 : memory.size();
  }

  @Override
  int sources() {
    return source == null ? 0 : 1;
  }

  @Override
  Ownership source(int index) {
    return Objects.requireNonNull(source);
  }

  @Override
  void freeOwn() {
    if (event != null) event.release();
    if (memory != null) memory.free();
    NativeHeap.free(block);
  }
}
