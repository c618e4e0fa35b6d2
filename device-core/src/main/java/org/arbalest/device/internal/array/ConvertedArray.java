// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.Conversion;
import org.arbalest.device.internal.device.DeviceBufferImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.memory.NativeHeap;
import org.jspecify.annotations.Nullable;

/**
 * The ownership of an array that was made from another one. Its own structs are in one block. They refer to the other
 * array's buffers, and to the buffers that had to be written again.
 */
public final class ConvertedArray extends Ownership {
  /** The ownership of the other array; null if none of its buffers are used. */
  private final @Nullable Ownership source;

  private final @Nullable DeviceBufferImpl memory;
  private final long block;
  private final Conversion conversion;

  /** Takes over a reference to the source, if it has one, the memory, and the block of a {@link StructBlock}. */
  public ConvertedArray(@Nullable Ownership source, @Nullable DeviceBufferImpl memory, long block,
      Conversion conversion,
      boolean hasEmpty) {
    super(hasEmpty);
    this.source = source;
    this.memory = memory;
    this.block = block;
    this.conversion = conversion;
  }

  @Override
  public long syncEvent() {
    return source == null ? 0 : source.syncEvent();
  }

  @Override
  public boolean mayHaveToWait() {
    return source != null && source.mayHaveToWait();
  }

  @Override
  public @Nullable EventPoint event() {
    return source == null ? null : source.event();
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
    return source == null || source.isCpuAccessible(); // the CPU wrote the new memory
  }

  @Override
  long bytes() {
    long shared = source == null ? 0 : source.bytes();
    return shared < 0 ? shared : shared + (memory == null ? 0 : memory.size());
  }

  @Override
  void freeArray() {
    if (memory != null) memory.free();
    NativeHeap.free(block);
    if (source != null) source.release();
  }
}
