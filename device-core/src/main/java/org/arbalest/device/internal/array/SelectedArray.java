// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.Validation;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * The ownership of an array with some children of another one. Its own structs are in one block. They refer to the
 * other array's structs and buffers, so that this keeps all of the other array.
 */
public final class SelectedArray extends Ownership {
  private final Ownership source;
  private final long block;

  /** Takes over a reference to the source, and the block of a {@link StructBlock}. */
  public SelectedArray(Ownership source, long block) {
    super(source.hasEmpty);
    this.source = source;
    this.block = block;
  }

  @Override
  public long syncEvent() {
    return source.syncEvent();
  }

  @Override
  public boolean mayHaveToWait() {
    return source.mayHaveToWait();
  }

  @Override
  public @Nullable EventPoint event() {
    return source.event();
  }

  @Override
  public long dataSize(long struct) {
    return source.dataSize(struct);
  }

  @Override
  boolean storesDataSizes() {
    return source.storesDataSizes();
  }

  @Override
  public boolean isCpuAccessible() {
    return source.isCpuAccessible();
  }

  @Override
  public void checkBuffers(Field field, long struct, Validation level) {
    source.checkBuffers(field, struct, level);
  }

  @Override
  long bytes() {
    return source.bytes();
  }

  @Override
  void freeArray() {
    NativeHeap.free(block);
    source.release();
  }
}
