// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.invoke.MethodHandles;
import org.arbalest.device.c.ArrowArrayStruct;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.exit.ExitAction;
import org.arbalest.device.internal.exit.ExitGuard;
import org.arbalest.device.internal.lifetime.Leaks;
import org.arbalest.device.internal.lifetime.RecycledExport;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/**
 * One array that C holds: the structs below the base struct.
 *
 * <p>Each struct counts, since a consumer may move a child out and release it after its parent (OWN-06). The lists of buffer pointers are
 * not copied: they belong to the array's memory, which an export holds.
 *
 * <p>The block: the structs below the base struct, then the lists of children. A struct's {@code private_data} is the slot's tag with the
 * struct's number, under which we remember whether it is still to be released, so that a second release of it does nothing, even through a
 * bitwise copy (OWN-07).
 *
 * <p>When some forty accesses to native memory have been inlined into a method, C2 calls all others, which doubles the time: hence few
 * accesses for each struct.
 */
public final class ArrayExport extends RecycledExport {
  /** The release callback of every array of ours, for C. */
  public static final long RELEASE =
      ExitGuard.stub(MethodHandles.lookup(), "released", FunctionDescriptor.ofVoid(JAVA_LONG), ExitAction.RELEASE_ARRAY);

  private static final long NODE = RawArrowArray.SIZE;

  /** The size of what describes an array, from length to dictionary. */
  private static final long DESCRIPTION = ArrowArrayStruct.LAYOUT.byteOffset(PathElement.groupElement("release"));

  private static final byte RELEASED = 0;
  private static final byte LIVE_LEAF = 1;
  private static final byte LIVE_TREE = 2;
  private static final byte[] NO_STATES = {};

  private static final Slots.Stack[] IDLE = stacks();

  /** The buffers of text, or of lists, without elements: no bitmap, one offset of 0, and no data, at an address. Made here, before anything is written. */
  static final long NO_ELEMENTS = noElements();

  /** For each struct, whether it is still to be released; if so, whether there are others below it. */
  private byte[] states = NO_STATES;

  private @Nullable Ownership owner;

  private int nextNode;
  private long nextList;

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
   * Exports an array to {@code out}, an {@code ArrowArray}. The holder that the caller has passes to the export; if this throws, the caller
   * still has it, and nothing was written to {@code out}; only where the stack was exhausted in the middle it is a released struct.
   *
   * @param node the array's own struct, which has the shape of {@code layout}
   * @param offset where the array begins in its buffers
   * @param isInMainMemory whether the consumer reads it there: on the CPU
   */
  static void export(Ownership owner, Layout layout, long node, long offset, long length, boolean isInMainMemory, long out) {
    ArrayExport export = take(layout);
    export.owner = owner;
    export.holds(1 + layout.descendants);
    export.nextNode = 1;
    export.nextList = export.block + NODE * layout.descendants;
    boolean isTouched = false;
    try {
      if (Leaks.isFollowed()) export.follow("an array of type " + layout.kind() + ", " + DeviceArrayImpl.counted(length, "row"));
      boolean sliced = offset != RawArrowArray.offset(node) || length != RawArrowArray.length(node);
      isTouched = true;
      export.write(layout, node, out, 0);
      if (sliced) ShownPart.narrow(layout, out, offset, length);
      if (sliced || offset != 0) ShownPart.pushDown(layout, out);
      if (length == 0 || owner.hasEmpty) ShownPart.resetEmpty(layout, out, isInMainMemory);
    } catch (Throwable t) { // the stack is exhausted
      if (isTouched) RawArrowArray.setRelease(out, 0);
      export.owner = null;
      export.holds(0);
      export.recycle();
      throw t;
    }
    RawArrowArray.setRelease(out, RELEASE);
  }

  /** A slot and a block with room for the structs below the base: all that can fail. */
  private static ArrayExport take(Layout layout) {
    if (layout.descendants >= Slots.MOST_NODES) {
      throw new IllegalArgumentException(
          "the array has " + layout.descendants + " structs below it; at most " + (Slots.MOST_NODES - 1) + " can be exported");
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
    if (states.length <= nodes) states = new byte[nodes + 1];
    ensure((NODE + Long.BYTES) * nodes);
  }

  /** Writes one struct but for its release, and those below it. */
  private void write(Layout layout, long from, long to, int node) {
    NativeHeap.copy(from, to, DESCRIPTION);
    Layout.Shape shape = layout.shape;
    if (shape.hasValidity) {
      if (RawArrowArray.nullCount(from) != 0 && RawArrowArray.buffer(from, 0) == 0) RawArrowArray.setNullCount(to, 0);
    } else {
      writeWithoutValidity(shape, from, to);
    }
    if (layout.descendants != 0) writeBelow(layout, from, to);
    states[node] = layout.descendants == 0 ? LIVE_LEAF : LIVE_TREE;
    RawArrowArray.setPrivateData(to, Slots.node(tag, node));
  }

  /** These have no nulls, or nothing else, and no bitmap, though older peers send one (ARR-05). */
  private static void writeWithoutValidity(Layout.Shape shape, long from, long to) {
    RawArrowArray.setNullCount(to, shape == Layout.Shape.NULL ? RawArrowArray.length(from) : 0);
    long surplus = RawArrowArray.nBuffers(from) - shape.buffers;
    RawArrowArray.setNBuffers(to, shape.buffers);
    RawArrowArray.setBuffers(to, RawArrowArray.buffers(from) + Long.BYTES * surplus);
  }

  private void writeBelow(Layout layout, long from, long to) {
    FieldImpl[] children = layout.children;
    long sources = RawArrowArray.children(from);
    long list = nextList;
    nextList += (long) Long.BYTES * children.length;
    RawArrowArray.setChildren(to, children.length == 0 ? 0 : list);
    for (int i = 0; i < children.length; i++) {
      long at = (long) Long.BYTES * i;
      NativeHeap.putLong(list + at, writeNext(children[i].layout, NativeHeap.getLong(sources + at)));
    }
    FieldImpl dictionary = layout.dictionary;
    if (dictionary != null) RawArrowArray.setDictionary(to, writeNext(dictionary.layout, RawArrowArray.dictionary(from)));
  }

  private long writeNext(Layout layout, long from) {
    int node = nextNode++;
    long to = block + NODE * (node - 1);
    write(layout, from, to, node);
    RawArrowArray.setRelease(to, RELEASE);
    return to;
  }

  @SuppressWarnings("UnusedMethod") // stub() finds it by name
  private static void released(long array) {
    try {
      release(array);
    } catch (Throwable t) {
      Faults.report("release of an array", t);
    }
  }

  /** The release callback of every array of ours; runs on any thread. */
  public static void release(long array) {
    if (RawArrowArray.release(array) == 0) return;
    long tag = RawArrowArray.privateData(array);
    if (!(Slots.find(tag) instanceof ArrayExport export)) {
      RawArrowArray.setRelease(array, 0);
      Faults.warn("an array was released that had been released before, through a copy of its struct");
      return;
    }
    int released = export.releaseTree(array, tag);
    export.left(released);
  }

  /** Marks a struct and those below it that were not moved out as released, and counts them. */
  private int releaseTree(long array, long nodeTag) {
    RawArrowArray.setRelease(array, 0);
    int node = Slots.nodeOf(nodeTag);
    byte state = states[node];
    states[node] = RELEASED;
    if (state == RELEASED) return 0;
    return state == LIVE_LEAF ? 1 : 1 + releaseBelow(array);
  }

  private int releaseBelow(long array) {
    int released = 0;
    long count = RawArrowArray.nChildren(array);
    long list = RawArrowArray.children(array);
    for (long i = 0; i < count; i++) released += releaseNext(NativeHeap.getLong(list + Long.BYTES * i));
    long dictionary = RawArrowArray.dictionary(array);
    return dictionary == 0 ? released : released + releaseNext(dictionary);
  }

  private int releaseNext(long array) {
    long release = RawArrowArray.release(array);
    if (release == 0) return 0;
    long nodeTag = RawArrowArray.privateData(array);
    if (release == RELEASE && Slots.sameSlot(tag, nodeTag)) return releaseTree(array, nodeTag);
    ArrayImport.giveBack(array); // a consumer put an array of somebody else's there
    return 0;
  }

  private void left(int released) {
    if (!isLeftBy(released)) return;
    Ownership last = owner;
    owner = null;
    recycle();
    if (last != null) last.release();
  }
}
