// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.util.ArrayList;
import java.util.List;
import org.arbalest.device.ArrayData;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.device.DeviceBufferImpl;
import org.arbalest.device.internal.device.CpuDevice;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an array as buffers that hold its memory; see {@link ArrayData#of(DeviceArray)}. The structs are those
 * of an export, where slices are pushed down to the fields.
 */
public final class ArrayBuffers {
  private final DeviceArrayImpl array;
  private final Ownership owner;
  private final List<DeviceBuffer> taken = new ArrayList<>();

  private ArrayBuffers(DeviceArrayImpl array, Ownership owner) {
    this.array = array;
    this.owner = owner;
  }

  /** Returns the parts of an array. The caller closes their buffers. */
  public static ArrayData of(DeviceArrayImpl array) {
    Ownership owner = array.share();
    try {
      long struct = NativeHeap.allocate(RawArrowArray.SIZE);
      try {
        export(array, owner, struct);
        try {
          return new ArrayBuffers(array, owner).data(struct);
        } finally {
          ArrayRelease.releaseExport(struct);
        }
      } finally {
        NativeHeap.free(struct);
      }
    } finally {
      owner.release();
    }
  }

  private static void export(DeviceArrayImpl array, Ownership owner, long struct) {
    owner.retain();
    try {
      ArrayExport.export(owner, Layout.of(array.field()), array.struct(owner), array.offset(), array.length(), false,
          null,
          struct);
    } catch (Throwable t) {
      owner.release();
      throw t;
    }
  }

  private ArrayData data(long struct) {
    try {
      return data(Layout.of(array.field()), struct);
    } catch (MalformedException e) {
      taken.forEach(DeviceBuffer::close);
      throw e.toException();
    } catch (Throwable t) {
      taken.forEach(DeviceBuffer::close);
      throw t;
    }
  }

  private ArrayData data(Layout layout, long node) {
    boolean isView = layout.shape == Layout.Shape.VIEW;
    int count = Math.toIntExact(RawArrowArray.nBuffers(node)) - (isView ? 1 : 0); // the last has sizes, in main memory
    List<@Nullable DeviceBuffer> buffers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long address = RawArrowArray.buffer(node, i);
      boolean isBitmap = i == 0 && layout.shape.hasValidity;
      if (address != 0) {
        buffers.add(buffer(address, size(layout, node, i, count)));
      } else {
        buffers.add(isBitmap ? null : buffer(nowhere(node, i), 0));
      }
    }
    List<ArrayData> children = new ArrayList<>();
    for (int i = 0; i < layout.children.length; i++) {
      children.add(below(layout.children[i].name(), layout.children[i], RawArrowArray.child(node, i)));
    }
    FieldImpl values = layout.dictionary;
    ArrayData dictionary =
        values == null ? null : below(MalformedException.DICTIONARY, values, RawArrowArray.dictionary(node));
    return new ArrayData(
        RawArrowArray.length(node), RawArrowArray.nullCount(node), RawArrowArray.offset(node), buffers, children,
        dictionary);
  }

  /**
   * Returns an address for a buffer without bytes that the producer omitted. If possible, it is in the memory of the
   * other buffers.
   */
  private static long nowhere(long node, int index) {
    long other = index < 2 ? 0 : RawArrowArray.buffer(node, 1);
    return other == 0 ? ArrayExport.NO_ELEMENTS : other;
  }

  private ArrayData below(String name, FieldImpl field, long node) {
    try {
      return data(field.layout, node);
    } catch (MalformedException e) {
      throw e.under(name);
    }
  }

  private long size(Layout layout, long node, int index, int count) {
    if (layout.shape == Layout.Shape.VIEW && index >= 2) {
      return NativeHeap.getLong(RawArrowArray.buffer(node, count) + (long) Long.BYTES * (index - 2));
    }
    long end = RawArrowArray.offset(node) + RawArrowArray.length(node);
    if (layout.shape != Layout.Shape.VARIABLE || index != 2) return layout.bufferBytes(index, end);
    long known = owner.dataSize(node);
    return known != Long.MAX_VALUE ? known : lastOffset(layout, RawArrowArray.buffer(node, 1), end);
  }

  private long lastOffset(Layout layout, long offsets, long end) {
    if (end == 0 || offsets == 0) return 0;
    array.synchronize();
    long last = read(offsets + layout.width() * end, layout.width());
    if (last < 0) throw new MalformedException("offsets[" + end + "] = " + last + " is negative");
    return last;
  }

  private long read(long address, long width) {
    if (owner.isCpuAccessible()) return width == Long.BYTES ? NativeHeap.getLong(address) : NativeHeap.getInt(address);
    try (DeviceBuffer here =
        DeviceBufferImpl.copyNonOwned(array.device(), address, width, CpuDevice.get().memory())) {
      return width == Long.BYTES ? NativeHeap.getLong(here.address()) : NativeHeap.getInt(here.address());
    }
  }

  private DeviceBuffer buffer(long address, long size) {
    Device device = array.device();
    owner.retain();
    DeviceBuffer buffer;
    try {
      buffer = DeviceBufferImpl.wrapped(device, address, size, owner.isCpuAccessible(), owner::release);
    } catch (Throwable t) {
      owner.release();
      throw t;
    }
    taken.add(buffer);
    return buffer;
  }
}
