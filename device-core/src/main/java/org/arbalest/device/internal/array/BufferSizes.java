// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.util.List;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceException;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.jspecify.annotations.Nullable;

/**
 * The check that the buffers for a new array exist and are large enough. The C interface does not carry their sizes.
 */
final class BufferSizes {
  /** Whether the offsets can be read. */
  private final boolean written;

  private BufferSizes(boolean written) {
    this.written = written;
  }

  /**
   * Checks an array and the arrays below it.
   *
   * @throws DeviceException with the path, the buffer and the sizes, if a check fails
   */
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
    } catch (MalformedException e) {
      throw e.toException(field.name().isEmpty() ? "" : "column \"" + field.name() + "\": ");
    }
  }

  private void check(Layout layout, ArrayData data) {
    checkRange(layout, data.offset(), data.length());
    if (data.children().size() != layout.children.length) {
      throw new MalformedException(
          "there are " + data.children().size() + " children, but the schema has " + layout.children.length);
    }
    checkBuffers(layout, data);
    for (int i = 0; i < layout.children.length; i++) {
      try {
        check(layout.children[i].layout, data.children().get(i));
      } catch (MalformedException e) {
        throw e.under(layout.children[i].name());
      }
    }
    ArrayData values = data.dictionary();
    if ((values == null) != (layout.dictionary == null)) {
      throw new MalformedException(values == null ? "there is no dictionary, but the schema has one"
          : "there is a dictionary, but the schema has none");
    }
    if (values != null && layout.dictionary != null) {
      try {
        check(layout.dictionary.layout, values);
      } catch (MalformedException e) {
        throw e.under(MalformedException.DICTIONARY);
      }
    }
  }

  /** Checks that memory could hold this number of elements. */
  static void checkRange(Layout layout, long offset, long length) {
    if (length < 0 || offset < 0 || offset + length < 0) {
      throw new MalformedException("offset + length = " + offset + " + " + length + " is negative or overflows");
    }
    if (offset + length > layout.most) throw Structure.tooMany(layout, offset + length);
  }

  private void checkBuffers(Layout layout, ArrayData data) {
    long end = data.offset() + data.length();
    checkBuffers(layout, end, new Given(data.buffers()));
    if (!written || data.length() == 0) return; // without elements no offset is read
    if (layout.shape == Layout.Shape.VARIABLE) {
      DeviceBuffer bytes = data.buffers().get(2);
      checkExtent(layout, data.buffers().get(1), end, bytes == null ? 0 : bytes.size(), "bytes of data");
    }
    if (layout.shape == Layout.Shape.LIST) {
      checkExtent(layout, data.buffers().get(1), end, data.children().getFirst().length(), "elements");
    }
  }

  /**
   * Checks an array's own buffers, which must contain the elements before {@code end}. Does not check their content.
   */
  static void checkBuffers(Layout layout, long end, Sizes buffers) {
    int expected = layout.shape == Layout.Shape.VIEW ? 2 : layout.shape.buffers;
    boolean legal = layout.shape == Layout.Shape.VIEW ? buffers.count() >= expected : buffers.count() == expected;
    if (!legal) throw new MalformedException(
        "there are " + buffers.count() + " buffers, but an array of type " + layout.kind() + " has " + expected);
    int next = 0;
    if (layout.shape.hasValidity) {
      if (buffers.has(next)) need(buffers, next, "the validity bitmap", bits(end, 1));
      next++;
    }
    if (layout.shape == Layout.Shape.FIXED) {
      need(buffers, next, "the values", bits(end, layout.bits));
    } else if (layout.shape == Layout.Shape.VARIABLE || layout.shape == Layout.Shape.LIST) {
      // as peers export an array without elements
      boolean isNone = end == 0 && buffers.has(next) && buffers.bytes(next) == 0;
      if (!isNone) need(buffers, next, "the offsets", bits(end + 1, layout.bits));
    } else if (layout.shape == Layout.Shape.LIST_VIEW) {
      need(buffers, next, "the offsets", bits(end, layout.bits));
      need(buffers, next + 1, "the sizes", bits(end, layout.bits));
    } else if (layout.shape == Layout.Shape.VIEW) {
      need(buffers, next, "the views", bits(end, 128));
    } else if (layout.shape == Layout.Shape.SPARSE_UNION) {
      need(buffers, next, "the type ids", end);
    } else if (layout.shape == Layout.Shape.DENSE_UNION) {
      need(buffers, next, "the type ids", end);
      need(buffers, next + 1, "the offsets", bits(end, 32));
    }
    if (layout.shape == Layout.Shape.VARIABLE && !buffers.has(next + 1))
      throw new MalformedException("there is no buffer for the data");
  }

  private static void checkExtent(Layout layout, @Nullable DeviceBuffer offsets, long end, long available,
      String what) {
    if (offsets != null && offsets.size() > 0 && offsets.isCpuAccessible())
      checkExtent(layout, offsets.address(), end, available, what);
  }

  /** Checks that the last offset is within the available data. The CPU must be able to read the offsets. */
  static void checkExtent(Layout layout, long offsets, long end, long available, String what) {
    long last = layout.bits == 64 ? NativeHeap.getLong(offsets + 8 * end) : NativeHeap.getInt(offsets + 4 * end);
    if (last < 0 || last > available) {
      throw new MalformedException("offsets[" + end + "] = " + last + " is beyond the " + available + " " + what);
    }
  }

  private static void need(Sizes buffers, int buffer, String what, long bytes) {
    if (!buffers.has(buffer)) throw new MalformedException("there is no buffer for " + what);
    if (buffers.bytes(buffer) < bytes) {
      throw new MalformedException(
          what + " need " + bytes + " bytes, but buffers[" + buffer + "] has " + buffers.bytes(buffer));
    }
  }

  /** Returns the bytes for some elements. Their number is at most {@link Layout#most}, so that nothing overflows. */
  private static long bits(long count, long each) {
    return (count * each + 7) >>> 3;
  }

  /** The buffers of one array: their number, whether each one exists, and their sizes. */
  interface Sizes {
    int count();

    boolean has(int buffer);

    long bytes(int buffer);
  }

  private record Given(List<@Nullable DeviceBuffer> buffers) implements Sizes {
    @Override
    public int count() {
      return buffers.size();
    }

    @Override
    public boolean has(int buffer) {
      return buffers.get(buffer) != null;
    }

    @Override
    public long bytes(int buffer) {
      DeviceBuffer there = buffers.get(buffer);
      return there == null ? 0 : there.size();
    }
  }
}
