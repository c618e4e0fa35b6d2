// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.util.Objects;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.spi.ForeignArray;
import org.arbalest.device.types.Field;
import org.jspecify.annotations.Nullable;

/**
 * Makes arrays of memory that another owner holds. Reads the description of the arrays, checks it, and writes the
 * structs.
 */
public final class ForeignAssembly implements BufferSizes.Sizes {
  private final ForeignArray data;
  private final boolean isReadable;
  private final StructBlock block;
  private long bytes;

  /**
   * The index of the next word; for the array that is being read, the index of its first buffer and its number of
   * buffers.
   */
  private int next;

  private int buffersAt;
  private int count;

  private ForeignAssembly(ForeignArray data, boolean isReadable, StructBlock block) {
    this.data = data;
    this.isReadable = isReadable;
    this.block = block;
  }

  /** Creates the first handle; see {@link org.arbalest.device.spi.ArrayBridge#wrap}. */
  public static DeviceArray wrap(Field field, ForeignArray data, Device device, @Nullable Object origin,
      Runnable onFree) {
    Objects.requireNonNull(field, "field");
    Objects.requireNonNull(device, "device");
    Objects.requireNonNull(onFree, "onFree");
    int arrays = Layout.of(FieldImpl.unwrap(field)).descendants + 1;
    if (data.arrays() != arrays)
      throw new MalformedException("there are " + data.arrays() + " arrays, but the field has " + arrays).toException();
    // For each array: the pointer to it and the size of its data. For each buffer: its pointer and its size. For view
    // arrays: the list of these sizes.
    StructBlock block = new StructBlock(data.arrays(), 3L * data.arrays() + 2L * data.buffers());
    try {
      ForeignAssembly assembly = new ForeignAssembly(data, device.isCpuAccessible(), block);
      assembly.writeAll(FieldImpl.unwrap(field));
      boolean hasEmpty = Structure.validate(field, block.address);
      long struct = block.address;
      DeviceArrayImpl handle =
          DeviceArrayImpl.of(device, field, struct, RawArrowArray.offset(struct), RawArrowArray.length(struct));
      return handle.holding(new ForeignOwner(struct, assembly.bytes, device, origin, onFree, hasEmpty));
    } catch (Throwable t) {
      NativeHeap.free(block.address);
      throw t;
    }
  }

  private void writeAll(FieldImpl field) {
    try {
      write(Layout.of(field));
    } catch (MalformedException e) {
      throw e.toException();
    }
  }

  private long word() {
    return data.word(next++);
  }

  /**
   * Writes the struct of an array and the structs below it.
   *
   * @throws MalformedException if a check fails; the caller converts it to a {@link DeviceException}
   */
  private long write(Layout layout) {
    long length = word();
    long nullCount = word();
    long offset = word();
    BufferSizes.checkRange(layout, offset, length);
    count = Math.toIntExact(word());
    buffersAt = next;
    BufferSizes.checkBuffers(layout, offset + length, this);
    // an array without elements may have no offsets, and Arrow C++ leaves any number in the only one
    boolean hasOffsets = layout.shape == Layout.Shape.VARIABLE || layout.shape == Layout.Shape.LIST;
    long offsets = hasOffsets && length > 0 ? address(1) : 0;
    if (layout.shape == Layout.Shape.VARIABLE) checkExtent(layout, offsets, offset + length, bytes(2), "bytes of data");
    long node = block.node(layout, length, nullCount, offset, count);
    for (int i = 0; i < count; i++) {
      boolean isVariadic = layout.shape == Layout.Shape.VIEW && i >= 2;
      if (isVariadic && address(i) == 0 && bytes(i) != 0)
        throw new MalformedException("variadic buffer " + (i - 2) + " is NULL, but its size is " + bytes(i));
      StructBlock.setBuffer(layout, node, i, address(i), bytes(i));
      bytes += bytes(i);
    }
    next += 2 * count;
    writeChildren(layout, node);
    if (layout.shape == Layout.Shape.LIST) {
      checkExtent(layout, offsets, offset + length, RawArrowArray.length(RawArrowArray.child(node, 0)), "elements");
    }
    return node;
  }

  private void checkExtent(Layout layout, long offsets, long end, long available, String what) {
    if (isReadable && offsets != 0) BufferSizes.checkExtent(layout, offsets, end, available, what);
  }

  private void writeChildren(Layout layout, long node) {
    for (int i = 0; i < layout.children.length; i++) {
      try {
        RawArrowArray.setChild(node, i, write(layout.children[i]));
      } catch (MalformedException e) {
        throw e.under(layout.children[i].name());
      }
    }
    FieldImpl dictionary = layout.dictionary;
    try {
      if (dictionary != null) RawArrowArray.setDictionary(node, write(dictionary));
    } catch (MalformedException e) {
      throw e.under(MalformedException.DICTIONARY);
    }
  }

  private long write(FieldImpl field) {
    return write(Layout.of(field));
  }

  @Override
  public int count() {
    return count;
  }

  @Override
  public boolean has(int buffer) {
    return address(buffer) != 0;
  }

  private long address(int buffer) {
    return data.word(buffersAt + 2 * buffer);
  }

  @Override
  public long bytes(int buffer) {
    return data.word(buffersAt + 2 * buffer + 1);
  }
}
