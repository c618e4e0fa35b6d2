// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.util.List;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Field;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.Malformed;
import org.jspecify.annotations.Nullable;

/** Checks that the buffers which an array is to be made of are there and large enough; sizes are lost in the C interface. */
final class BufferSizes {
  /** Whether the offsets can be read. */
  private final boolean written;

  private BufferSizes(boolean written) {
    this.written = written;
  }

  /** Checks an array and those below it; throws a {@link DeviceException} with the path, the buffer and the sizes. */
  static void check(Field field, ArrayData data) {
    check(field, data, true);
  }

  /** Checks an array whose buffers are not written yet. */
  static void checkUnwritten(Field field, ArrayData data) {
    check(field, data, false);
  }

  private static void check(Field field, ArrayData data, boolean written) {
    try {
      new BufferSizes(written).check(Layout.of(field), data);
    } catch (Malformed e) {
      throw e.toDeviceException();
    }
  }

  private void check(Layout layout, ArrayData data) {
    if (data.length() < 0 || data.offset() < 0 || data.offset() + data.length() < 0) {
      throw new Malformed("offset + length = " + data.offset() + " + " + data.length() + " is negative or overflows");
    }
    if (data.offset() + data.length() > layout.most) throw Structure.tooMany(layout, data.offset() + data.length());
    if (data.children().size() != layout.children.length) {
      throw new Malformed("there are " + data.children().size() + " children, but the schema has " + layout.children.length);
    }
    checkBuffers(layout, data);
    for (int i = 0; i < layout.children.length; i++) {
      try {
        check(layout.children[i].layout, data.children().get(i));
      } catch (Malformed e) {
        throw e.under(layout.children[i].name());
      }
    }
    ArrayData values = data.dictionary();
    if ((values == null) != (layout.dictionary == null)) {
      throw new Malformed(values == null ? "there is no dictionary, but the schema has one" : "there is a dictionary, but the schema has none");
    }
    if (values != null && layout.dictionary != null) {
      try {
        check(layout.dictionary.layout, values);
      } catch (Malformed e) {
        throw e.under(Malformed.DICTIONARY);
      }
    }
  }

  private void checkBuffers(Layout layout, ArrayData data) {
    List<@Nullable DeviceBuffer> buffers = data.buffers();
    int expected = layout.shape == Layout.Shape.VIEW ? 2 : layout.shape.buffers;
    boolean legal = layout.shape == Layout.Shape.VIEW ? buffers.size() >= expected : buffers.size() == expected;
    if (!legal) throw new Malformed("there are " + buffers.size() + " buffers, but an array of type " + layout.kind() + " has " + expected);
    long end = data.offset() + data.length();
    int next = 0;
    if (layout.shape.hasValidity) {
      DeviceBuffer validity = buffers.get(next++);
      if (validity != null) need(validity, "the validity bitmap", bits(end, 1));
    }
    switch (layout.shape) {
      case FIXED -> need(buffers.get(next), "the values", bits(end, layout.bits));
      case VARIABLE, LIST -> {
        DeviceBuffer offsets = buffers.get(next);
        boolean isNone = end == 0 && offsets != null && offsets.size() == 0; // as peers have it where there are no elements
        if (!isNone) need(offsets, "the offsets", bits(end + 1, layout.bits));
      }
      case LIST_VIEW -> {
        need(buffers.get(next), "the offsets", bits(end, layout.bits));
        need(buffers.get(next + 1), "the sizes", bits(end, layout.bits));
      }
      case VIEW -> need(buffers.get(next), "the views", bits(end, 128));
      case SPARSE_UNION -> need(buffers.get(next), "the type ids", end);
      case DENSE_UNION -> {
        need(buffers.get(next), "the type ids", end);
        need(buffers.get(next + 1), "the offsets", bits(end, 32));
      }
      case NULL, FIXED_LIST, STRUCT, RUN_END -> {}
    }
    if (layout.shape == Layout.Shape.VARIABLE) {
      DeviceBuffer bytes = buffers.get(next + 1);
      if (bytes == null) throw new Malformed("there is no buffer for the data");
      checkExtent(layout, buffers.get(next), end, bytes.size(), "bytes of data");
    }
    if (layout.shape == Layout.Shape.LIST) {
      checkExtent(layout, buffers.get(next), end, data.children().getFirst().length(), "elements");
    }
  }

  /** Where the CPU can read the offsets, the last must lie within what there is. */
  private void checkExtent(Layout layout, @Nullable DeviceBuffer offsets, long end, long available, String what) {
    if (offsets == null || offsets.size() == 0 || !offsets.isCpuAccessible() || !written) return;
    long last = layout.bits == 64 ? NativeHeap.getLong(offsets.address() + 8 * end) : NativeHeap.getInt(offsets.address() + 4 * end);
    if (last < 0 || last > available) {
      throw new Malformed("offsets[" + end + "] = " + last + " is beyond the " + available + " " + what);
    }
  }

  private static void need(@Nullable DeviceBuffer buffer, String what, long bytes) {
    if (buffer == null) throw new Malformed("there is no buffer for " + what);
    if (buffer.size() < bytes) {
      throw new Malformed(what + " need " + bytes + " bytes, but the buffer has " + buffer.size());
    }
  }

  /** The bytes for some elements; of no more than {@link Layout#most}, so that nothing overflows. */
  private static long bits(long count, long each) {
    return (count * each + 7) >>> 3;
  }
}
