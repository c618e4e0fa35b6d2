// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.Validation;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * The ownership of an array with some children of another one. Its own structs are in one block. They refer to the
 * other array's structs and buffers, so that this keeps all of the other array.
 */
public final class SelectedArray extends DerivedArray {
  private final Ownership source;

  /** The nearest array that this was made from and that has buffers, which answers all questions about them. */
  final Ownership base;

  /** The address of this array's structs, and their number. The first is a copy of the original. */
  private final long block;

  private final int structs;
  private final long original;

  private SelectedArray(Ownership source, long block, int structs, long original) {
    super(source.hasEmpty);
    this.source = source;
    this.base = source instanceof SelectedArray selected ? selected.base : source;
    this.block = block;
    this.structs = structs;
    this.original = original;
  }

  /**
   * Takes over the block of a {@link StructBlock}, and adds a reference to the array that it refers to. This is the
   * given array, or its own source if nothing refers to the given one. After the call nothing can fail.
   *
   * @param owner an array to which the caller has a reference
   * @param block the address of the structs, which are copies with other children
   * @param structs their number; if it is 1, all children are the original's
   * @param original the struct that the first one is a copy of
   */
  public static SelectedArray of(Ownership owner, long block, int structs, long original) {
    Ownership source = owner;
    long first = original;
    if (owner instanceof SelectedArray selected && selected.structs == 1) {
      source = selected.source;
      if (original == selected.block) first = selected.original;
    }
    SelectedArray made = new SelectedArray(source, block, structs, first);
    source.retain();
    return made;
  }

  @Override
  public long syncEvent() {
    return base.syncEvent();
  }

  @Override
  public boolean mayHaveToWait() {
    return base.mayHaveToWait();
  }

  @Override
  public @Nullable EventPoint event() {
    return base.event();
  }

  @Override
  Ownership awaited() {
    return base.awaited();
  }

  @Override
  public long dataSize(long struct) {
    return base.dataSize(struct);
  }

  @Override
  boolean storesDataSizes() {
    return base.storesDataSizes();
  }

  @Override
  public boolean isCpuAccessible() {
    return base.isCpuAccessible();
  }

  @Override
  public void checkBuffers(Field field, long struct, Validation level) {
    base.checkBuffers(field, struct, level);
  }

  @Override
  Ownership ownerOf(int column, long struct) {
    boolean isOwn = struct >= block && struct < block + RawArrowArray.SIZE * structs;
    return isOwn ? this : source.ownerOf(column, struct);
  }

  @Override
  Ownership ownerOfBuffers(long struct) {
    return struct == block ? source.ownerOfBuffers(original) : this;
  }

  @Override
  Ownership checker(int column, long struct) {
    return base.checker(column, struct);
  }

  @Override
  boolean hasLooseChildren() {
    return base.hasLooseChildren();
  }

  @Override
  long bytes() {
    return base.bytes();
  }

  @Override
  int sources() {
    return 1;
  }

  @Override
  Ownership source(int index) {
    return source;
  }

  @Override
  void freeOwn() {
    NativeHeap.free(block);
  }
}
