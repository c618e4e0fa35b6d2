// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.device.LastUse;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/**
 * An array that native code holds: the structs below the base struct. {@link ArrayRelease} releases it.
 *
 * <p>The lists of buffer pointers are not copied. They belong to the array's memory, to which an export has a
 * reference. The block contains the structs below the base struct, and then the lists of children.
 *
 * <p>After about 40 accesses to native memory are inlined into a method, C2 compiles all others as calls, which doubles
 * the time. Therefore the code makes few accesses for each struct.
 */
public final class ArrayExport extends ArrayRelease {
  private static final long NODE = RawArrowArray.SIZE;

  /** The size in bytes of the fields that describe an array, from length to dictionary. */
  private static final long DESCRIPTION = RawArrowArray.RELEASE;

  private static final Slots.Stack[] IDLE = stacks();

  /**
   * The buffers of text or lists without elements: no bitmap, one offset of 0, and no data, at an address. It is made
   * when the class is initialized, before any struct is written.
   */
  static final long NO_ELEMENTS = noElements();

  /** The length of a window that is the whole struct, unchanged. */
  private static final long WHOLE = -1;

  private int nextNode;
  private long nextList;

  /** Whether an array without elements may be among the written ones. */
  private boolean mayBeEmpty;

  /** Whether children may be longer than their parent needs. */
  private boolean isLoose;

  private boolean isInMainMemory;

  private static long noElements() {
    long list = NativeHeap.allocate(4L * Long.BYTES);
    long zero = list + 3 * Long.BYTES;
    NativeHeap.putLong(list, 0);
    NativeHeap.putLong(list + Long.BYTES, zero);
    NativeHeap.putLong(list + 2 * Long.BYTES, zero);
    NativeHeap.putLong(zero, 0);
    return list;
  }

  private ArrayExport(Slots.Stack home) {
    super(home);
  }

  /**
   * Exports an array to {@code out}, an {@code ArrowArray}. The caller's reference passes to the export.
   *
   * <p>If this throws, the caller still has the reference, and nothing was written to {@code out}. There is one
   * exception: if the stack was exhausted during the writing, {@code out} is a released struct.
   *
   * @param node the array's own struct, which has the shape of {@code layout}
   * @param offset the position of the array's first element in its buffers
   * @param isInMainMemory whether the consumer reads it in main memory, on the CPU
   * @param until the consumer's use of the memory in a stream; null if the use ends with the release. If this throws,
   *     the caller still has it
   */
  static void export(Ownership owner, Layout layout, long node, long offset, long length, boolean isInMainMemory,
      @Nullable LastUse until, long out) {
    ArrayExport export = take(layout);
    export.holds(owner, until, 1 + layout.descendants);
    export.nextNode = 1;
    export.nextList = export.block + NODE * layout.descendants;
    boolean isTouched = false;
    try {
      if (Leaks.isFollowed())
        export.follow("an array of type " + layout.kind() + ", " + DeviceArrayImpl.counted(length, "row"));
      boolean isSlice = offset != 0 || length != RawArrowArray.length(node) || RawArrowArray.offset(node) != 0;
      export.isLoose = owner.hasLooseChildren();
      export.mayBeEmpty = length == 0 || owner.hasEmpty;
      export.isInMainMemory = isInMainMemory;
      isTouched = true;
      export.write(layout, node, out, 0, offset - RawArrowArray.offset(node), isSlice ? length : WHOLE);
    } catch (Throwable t) { // the stack is exhausted
      if (isTouched) RawArrowArray.setRelease(out, 0);
      export.abandon();
      throw t;
    }
    RawArrowArray.setRelease(out, Callback.ADDRESS);
  }

  /** Takes a slot and a block for the structs below the base. This includes all steps that can fail. */
  private static ArrayExport take(Layout layout) {
    if (layout.descendants >= Slots.MOST_NODES) {
      throw new IllegalArgumentException(
          "the array has " + layout.descendants + " structs below it; at most " + (Slots.MOST_NODES - 1)
              + " can be exported");
    }
    Slots.Stack home = mine(IDLE);
    ArrayExport export = (ArrayExport) takeIdle(home);
    if (export == null) {
      export = new ArrayExport(home);
      export.takeSlot();
    }
    try {
      export.ensureNodes(layout.descendants);
    } catch (Throwable t) {
      export.recycle();
      throw t;
    }
    return export;
  }

  private void ensureNodes(int nodes) {
    ensureStates(1 + nodes);
    ensure((NODE + Long.BYTES) * nodes);
  }

  /**
   * Writes one struct except its release, and the structs below it.
   *
   * @param skip the distance from the struct's offset to the beginning of the window, in elements
   * @param length the number of elements of the window; WHOLE if it is the struct's own window
   */
  private void write(Layout layout, long from, long to, int node, long skip, long length) {
    NativeHeap.copy(from, to, DESCRIPTION);
    Layout.Shape shape = layout.shape;
    if (shape.hasValidity) {
      if (RawArrowArray.nullCount(from) != 0 && RawArrowArray.buffer(from, 0) == 0) RawArrowArray.setNullCount(to, 0);
    } else {
      writeWithoutValidity(shape, from, to);
    }
    if (length != WHOLE) narrow(shape, to, skip, length);
    if (mayBeEmpty && RawArrowArray.length(to) == 0) resetEmpty(shape, to);
    if (layout.descendants != 0) writeBelow(layout, from, to, length != WHOLE);
    RawArrowArray.setPrivateData(to, live(node, layout.descendants != 0));
  }

  /**
   * Writes a struct of a type without a bitmap, though older peers send one (ARR-05). Such an array has no nulls, or
   * only nulls.
   */
  private static void writeWithoutValidity(Layout.Shape shape, long from, long to) {
    RawArrowArray.setNullCount(to, shape == Layout.Shape.NULL ? RawArrowArray.length(from) : 0);
    long surplus = RawArrowArray.nBuffers(from) - shape.buffers;
    RawArrowArray.setNBuffers(to, shape.buffers);
    RawArrowArray.setBuffers(to, RawArrowArray.buffers(from) + Long.BYTES * surplus);
  }

  /** Limits a struct to some of its elements. Its null count becomes unknown, unless it is 0. */
  private static void narrow(Layout.Shape shape, long to, long skip, long length) {
    if (skip == 0 && length == RawArrowArray.length(to)) return;
    RawArrowArray.setOffset(to, RawArrowArray.offset(to) + skip);
    RawArrowArray.setLength(to, length);
    if (shape == Layout.Shape.NULL) {
      RawArrowArray.setNullCount(to, length);
    } else if (RawArrowArray.nullCount(to) != 0) {
      RawArrowArray.setNullCount(to, -1);
    }
  }

  /**
   * Makes an array without elements begin at 0 (ARR-19). In main memory its offsets become 0, because the only offset
   * may be anything, or NULL.
   */
  private void resetEmpty(Layout.Shape shape, long to) {
    RawArrowArray.setOffset(to, 0);
    RawArrowArray.setNullCount(to, 0);
    boolean hasOffsets = shape == Layout.Shape.VARIABLE || shape == Layout.Shape.LIST;
    if (hasOffsets && isInMainMemory) RawArrowArray.setBuffers(to, NO_ELEMENTS);
  }

  /**
   * Writes the structs below a struct. A slice of a struct without nulls of its own passes its window to its fields,
   * since some peers read it only there (ARR-13). The same applies to a struct with an offset at any depth, and to the
   * structs of a joined batch. If only the parent positions the children's elements, and the parent has no elements,
   * the children have none either (ARR-19).
   */
  private void writeBelow(Layout layout, long from, long to, boolean isSlice) {
    FieldImpl[] children = layout.children;
    long skip = 0;
    long length = WHOLE;
    if (mayBeEmpty && layout.shape.positionsChildren() && RawArrowArray.length(to) == 0) {
      length = 0;
    } else if (layout.shape == Layout.Shape.STRUCT) {
      long offset = RawArrowArray.offset(to);
      if (RawArrowArray.buffer(to, 0) != 0) {
        if (isLoose) length = offset + RawArrowArray.length(to); // a bitmap keeps its offset
      } else if (isSlice || isLoose || offset != 0) {
        skip = offset;
        length = RawArrowArray.length(to);
        RawArrowArray.setOffset(to, 0);
      }
    }
    long sources = RawArrowArray.children(from);
    long list = nextList;
    nextList += (long) Long.BYTES * children.length;
    RawArrowArray.setChildren(to, children.length == 0 ? 0 : list);
    for (int i = 0; i < children.length; i++) {
      long at = (long) Long.BYTES * i;
      NativeHeap.putLong(list + at, writeNext(children[i].layout, NativeHeap.getLong(sources + at), skip, length));
    }
    FieldImpl dictionary = layout.dictionary;
    if (dictionary == null) return;
    long values = RawArrowArray.dictionary(from);
    RawArrowArray.setDictionary(to, writeNext(dictionary.layout, values, 0, WHOLE));
  }

  private long writeNext(Layout layout, long from, long skip, long length) {
    int node = nextNode++;
    long to = block + NODE * (node - 1);
    boolean isWhole = length != WHOLE && skip == 0 && length == RawArrowArray.length(from);
    write(layout, from, to, node, skip, isWhole ? WHOLE : length);
    RawArrowArray.setRelease(to, Callback.ADDRESS);
    return to;
  }
}
