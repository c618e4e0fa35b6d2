// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.copy;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.array.Ownership;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.Integers;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.ViewStruct;
import org.jspecify.annotations.Nullable;

/**
 * Hashes and comparisons of single values of an array, regardless of their layout. Floats are compared by their bits. A
 * malformed value equals no value, because other checks report it.
 */
record ElementValues(Ownership owner, Steps steps) {
  /** Makes hashes unpredictable, so that no producer can choose values of which many have the same. */
  private static final long SEED = new SplittableRandom().nextLong();

  /** The number of elements of a list that its hash depends on. */
  private static final long HASHED = 16;

  /**
   * The steps that may be taken. Views and lists may overlap, so that a few bytes have more values than any time is
   * sufficient for. Without steps left, hashes and comparisons are wrong.
   */
  static final class Steps {
    private long left;

    Steps(long most) {
      this.left = most;
    }

    void take(long count) {
      left -= count;
    }

    boolean areOver() {
      return left < 0;
    }
  }

  /** The bytes of a text. */
  private record Bytes(long address, long size) {}

  /** The elements of a list. */
  private record Items(long struct, long first, long count) {}

  /** Returns whether values of this layout can be compared: all except values with run-ends or dictionaries below. */
  static boolean areComparable(Layout layout) {
    if (layout.shape == Layout.Shape.RUN_END || layout.dictionary != null) return false;
    for (FieldImpl child : layout.children) {
      if (!areComparable(child.layout)) return false;
    }
    return true;
  }

  private static boolean isNull(Layout layout, long struct, long at) {
    if (!layout.shape.hasValidity || RawArrowArray.nullCount(struct) == 0) return false;
    long validity = RawArrowArray.buffer(struct, 0);
    return validity != 0 && !Bitmaps.get(validity, at);
  }

  /** Returns the hash of the value at a position in a struct's buffers. Equal values have the same hash. */
  int hash(Layout layout, long struct, long at) {
    steps.take(1);
    if (isNull(layout, struct, at)) return 1;
    return switch (layout.shape) {
      case NULL, RUN_END -> 0;
      case FIXED -> hashFixed(layout, RawArrowArray.buffer(struct, 1), at);
      case VARIABLE, VIEW -> {
        Bytes bytes = bytes(layout, struct, at);
        yield bytes == null ? 0 : hash(bytes.address, bytes.size);
      }
      case LIST, LIST_VIEW, FIXED_LIST -> {
        Items items = items(layout, struct, at);
        int hash = items == null ? 0 : Long.hashCode(items.count);
        for (long i = 0; items != null && i < Math.min(items.count, HASHED) && !steps.areOver(); i++)
          hash = mix(hash, hash(layout.children[0].layout, items.struct, items.first + i));
        yield hash;
      }
      case STRUCT -> {
        int hash = 7;
        for (int i = 0; i < layout.children.length; i++) {
          long child = RawArrowArray.child(struct, i);
          hash = mix(hash, hash(layout.children[i].layout, child, Positions.childStart(layout, child, at)));
        }
        yield hash;
      }
      case SPARSE_UNION, DENSE_UNION -> {
        int child = childOf(layout, struct, at);
        long value = child < 0 ? -1 : valueOfUnion(layout, struct, at, child);
        yield value < 0 ? 0
            : mix(child, hash(layout.children[child].layout, RawArrowArray.child(struct, child), value));
      }
    };
  }

  /** Returns whether two values of a layout are equal. The other one is at a position of a struct of another array. */
  boolean equal(Layout layout, long a, long atA, ElementValues other, long b, long atB) {
    steps.take(1);
    boolean isNull = isNull(layout, a, atA);
    if (isNull || isNull(layout, b, atB)) return isNull && isNull(layout, b, atB);
    return switch (layout.shape) {
      case NULL -> true;
      case RUN_END -> false;
      case FIXED -> areFixedEqual(layout, RawArrowArray.buffer(a, 1), atA, RawArrowArray.buffer(b, 1), atB);
      case VARIABLE, VIEW -> {
        Bytes one = bytes(layout, a, atA);
        Bytes two = other.bytes(layout, b, atB);
        yield one != null && two != null && one.size == two.size && areEqual(one.address, two.address, one.size);
      }
      case LIST, LIST_VIEW, FIXED_LIST -> {
        Items one = items(layout, a, atA);
        Items two = items(layout, b, atB);
        yield one != null && two != null && one.count == two.count && areEqual(layout, one, other, two);
      }
      case STRUCT -> {
        boolean areEqual = true;
        for (int i = 0; areEqual && i < layout.children.length; i++) {
          long childA = RawArrowArray.child(a, i);
          long childB = RawArrowArray.child(b, i);
          areEqual = equal(layout.children[i].layout, childA, Positions.childStart(layout, childA, atA), other, childB,
              Positions.childStart(layout, childB, atB));
        }
        yield areEqual;
      }
      case SPARSE_UNION, DENSE_UNION -> {
        int child = childOf(layout, a, atA);
        if (child < 0 || child != childOf(layout, b, atB)) yield false;
        long valueA = valueOfUnion(layout, a, atA, child);
        long valueB = valueOfUnion(layout, b, atB, child);
        yield valueA >= 0 && valueB >= 0 && equal(layout.children[child].layout, RawArrowArray.child(a, child), valueA,
            other, RawArrowArray.child(b, child), valueB);
      }
    };
  }

  private boolean areEqual(Layout layout, Items one, ElementValues other, Items two) {
    for (long i = 0; i < one.count; i++) {
      if (steps.areOver()
          || !equal(layout.children[0].layout, one.struct, one.first + i, other, two.struct, two.first + i))
        return false;
    }
    return true;
  }

  private int hashFixed(Layout layout, long values, long at) {
    return switch ((int) layout.bits) {
      case 1 -> Bitmaps.get(values, at) ? 1231 : 1237;
      case 8, 16, 32, 64 -> Long.hashCode(mix(SEED, Integers.get(values, layout.bits, at)));
      default -> hash(values + layout.width() * at, layout.width());
    };
  }

  private boolean areFixedEqual(Layout layout, long a, long atA, long b, long atB) {
    return switch ((int) layout.bits) {
      case 1 -> Bitmaps.get(a, atA) == Bitmaps.get(b, atB);
      case 8, 16, 32, 64 -> Integers.get(a, layout.bits, atA) == Integers.get(b, layout.bits, atB);
      default -> areEqual(a + layout.width() * atA, b + layout.width() * atB, layout.width());
    };
  }

  private int hash(long address, long size) {
    steps.take(size);
    if (steps.areOver()) return 0;
    long hash = SEED ^ size;
    long i = 0;
    for (; i + Long.BYTES <= size; i += Long.BYTES)
      hash = mix(hash, NativeHeap.getLong(address + i));
    for (; i < size; i++) hash = mix(hash, NativeHeap.getByte(address + i));
    return Long.hashCode(hash);
  }

  private static int mix(int hash, int more) {
    return Long.hashCode(mix(SEED ^ hash, more));
  }

  private static long mix(long hash, long more) {
    long word = hash ^ more;
    return Math.multiplyHigh(word, 0x9e3779b97f4a7c15L) ^ (word * 0x9e3779b97f4a7c15L) ^ SEED;
  }

  private boolean areEqual(long a, long b, long size) {
    if (a == b) return true;
    steps.take(size);
    if (steps.areOver()) return false;
    long i = 0;
    for (; i + Long.BYTES <= size && i < 32; i += Long.BYTES) {
      if (NativeHeap.getLong(a + i) != NativeHeap.getLong(b + i)) return false;
    }
    long rest = size - i;
    if (rest > Long.BYTES) {
      return MemorySegment.mismatch(NativeHeap.segment(a + i, rest), 0, rest, NativeHeap.segment(b + i, rest), 0,
          rest) < 0;
    }
    for (; i < size; i++) {
      if (NativeHeap.getByte(a + i) != NativeHeap.getByte(b + i)) return false;
    }
    return true;
  }

  /** Returns the bytes of a text, or null if its offsets or its view are malformed. */
  private @Nullable Bytes bytes(Layout layout, long struct, long at) {
    if (layout.shape == Layout.Shape.VARIABLE) {
      long offsets = RawArrowArray.buffer(struct, 1);
      long first = Positions.offset(layout, offsets, at);
      long size = Positions.offset(layout, offsets, at + 1) - first;
      long known = Math.min(owner.dataSize(struct), Positions.offset(layout, offsets, Positions.end(struct)));
      long data = RawArrowArray.buffer(struct, 2);
      if (first < 0 || size < 0 || size > known - first || (data == 0 && size > 0)) return null;
      return new Bytes(data + first, size);
    }
    long view = RawArrowArray.buffer(struct, 1) + ViewStruct.SIZE * at;
    int size = ViewStruct.size(view);
    if (size < 0) return null;
    if (size <= ViewStruct.INLINE) return new Bytes(ViewStruct.value(view), size);
    int buffer = ViewStruct.buffer(view);
    int offset = ViewStruct.offset(view);
    if (ViewStruct.fault(at, size, buffer, offset, ViewStruct.variadic(struct), ViewStruct.sizes(struct)) != null)
      return null;
    return new Bytes(RawArrowArray.buffer(struct, 2L + buffer) + offset, size);
  }

  /** Returns the elements of a list, or null if its offsets are malformed. */
  private static @Nullable Items items(Layout layout, long struct, long at) {
    long items = RawArrowArray.child(struct, 0);
    if (layout.shape == Layout.Shape.FIXED_LIST)
      return new Items(items, Positions.childStart(layout, items, at), layout.listSize);
    long first = Positions.offset(layout, RawArrowArray.buffer(struct, 1), at);
    boolean isView = layout.shape == Layout.Shape.LIST_VIEW;
    long size = isView ? Integers.get(RawArrowArray.buffer(struct, 2), layout.bits, at)
        : Positions.offset(layout, RawArrowArray.buffer(struct, 1), at + 1) - first;
    if (size == 0) return new Items(items, 0, 0);
    if (first < 0 || size < 0 || first > RawArrowArray.length(items) - size) return null;
    return new Items(items, RawArrowArray.offset(items) + first, size);
  }

  private static int childOf(Layout layout, long struct, long at) {
    return layout.childOf(NativeHeap.getByte(RawArrowArray.buffer(struct, Positions.surplus(layout, struct)) + at));
  }

  /** Returns the position of a union's value in the buffers of its child, or −1 if its offset is malformed. */
  private static long valueOfUnion(Layout layout, long struct, long at, int index) {
    long child = RawArrowArray.child(struct, index);
    if (layout.shape == Layout.Shape.SPARSE_UNION) return Positions.childStart(layout, child, at);
    long offsets = RawArrowArray.buffer(struct, Positions.surplus(layout, struct) + 1);
    int offset = NativeHeap.getInt(offsets + (long) Integer.BYTES * at);
    return offset < 0 || offset >= RawArrowArray.length(child) ? -1 : RawArrowArray.offset(child) + offset;
  }
}
