package org.arbalest.device;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.jspecify.annotations.Nullable;

/**
 * One array that C holds: the structs below the base struct, in one block, and how many of them are not yet released.
 *
 * <p>Each struct counts, since a consumer may move a child out and release it after its parent (OWN-06). The lists of buffer pointers are
 * not copied: they belong to the array's memory, which an export holds. Exports are recycled together with their slot and their block, so
 * that exporting a batch like the one before allocates nothing.
 *
 * <p>The block: the structs below the base struct, the lists of children, then a byte for each struct that tells whether it is still to be
 * released, so that a second release of it does nothing, even through a bitwise copy (OWN-07). A struct's {@code private_data} is the slot's
 * tag with the struct's number.
 */
final class ArrayExport {
  private static final long NODE = ArrowArrayStruct.SIZE;
  private static final long LARGEST_BLOCK_KEPT = 64 << 10;
  private static final int MOST_KEPT = 1024;

  private static final Slots.Stack IDLE = new Slots.Stack();
  private static final AtomicInteger IDLE_BLOCKS = new AtomicInteger();
  private static final VarHandle LIVE;

  static {
    try {
      LIVE = MethodHandles.lookup().findVarHandle(ArrayExport.class, "live", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private long tag;
  private long block;
  private long capacity;

  /** The bytes that tell which structs are still to be released. */
  private long states;

  private @Nullable Ownership owner;

  /** The structs that C has not released. */
  private volatile int live;

  private int nextNode;
  private long nextList;

  private ArrayExport() {}

  /**
   * Exports an array to {@code out}, an {@code ArrowArray}. The holder that the caller has passes to the export; if this throws, the caller
   * still has it and {@code out} was not touched.
   *
   * @param node the array's own struct, which has the shape of {@code layout}
   * @param offset where the array begins in its buffers
   */
  static void export(Ownership owner, Layout layout, long node, long offset, long length, long out) {
    ArrayExport export = take(layout);
    export.owner = owner;
    export.live = 1 + layout.descendants;
    export.nextNode = 1;
    export.nextList = export.block + NODE * layout.descendants;
    export.states = export.nextList + (long) Long.BYTES * layout.descendants;
    NativeHeap.fill(export.states, export.live, (byte) 1);
    boolean sliced = offset != ArrowArrayStruct.offset(node) || length != ArrowArrayStruct.length(node);
    export.write(layout, node, out, export.tag);
    if (sliced) narrow(layout, out, offset, length);
    if (offset != 0) pushOffset(layout, out);
    ArrowArrayStruct.setRelease(out, Callbacks.RELEASE_ARRAY);
  }

  /** Makes a struct describe some of its elements; how many of those are null is not known, unless none or all are. */
  private static void narrow(Layout layout, long array, long offset, long length) {
    ArrowArrayStruct.setOffset(array, offset);
    ArrowArrayStruct.setLength(array, length);
    if (layout.shape == Layout.Shape.NULL) {
      ArrowArrayStruct.setNullCount(array, length);
    } else if (ArrowArrayStruct.nullCount(array) != 0) {
      ArrowArrayStruct.setNullCount(array, -1);
    }
  }

  /** Moves the offset of a struct without nulls of its own to its fields, since some peers do not look for it there (ARR-13). */
  private static void pushOffset(Layout layout, long struct) {
    long offset = ArrowArrayStruct.offset(struct);
    if (offset == 0 || layout.shape != Layout.Shape.STRUCT || ArrowArrayStruct.buffer(struct, 0) != 0) return;
    for (int i = 0; i < layout.children.length; i++) {
      Layout child = layout.children[i].layout;
      long field = ArrowArrayStruct.child(struct, i);
      narrow(child, field, ArrowArrayStruct.offset(field) + offset, ArrowArrayStruct.length(struct));
      pushOffset(child, field);
    }
    ArrowArrayStruct.setOffset(struct, 0);
  }

  /** A slot and a block with room for the structs below the base: all that can fail. */
  private static ArrayExport take(Layout layout) {
    if (layout.descendants >= Slots.MOST_NODES) {
      throw DeviceException.invalid("the array has " + layout.descendants + " structs below it; at most " + (Slots.MOST_NODES - 1) + " can be exported");
    }
    int slot = IDLE.pop();
    ArrayExport export;
    if (slot < 0) {
      export = new ArrayExport();
      export.tag = Slots.take(export);
    } else {
      export = (ArrayExport) Slots.owner(slot);
      if (export == null) throw new AssertionError("an idle export lost its slot");
      if (export.block != 0) IDLE_BLOCKS.getAndDecrement();
    }
    try {
      export.ensure((NODE + Long.BYTES + 1L) * layout.descendants + 1);
    } catch (Throwable t) {
      export.recycle();
      throw t;
    }
    return export;
  }

  private void ensure(long bytes) {
    if (capacity >= bytes) return;
    NativeHeap.free(block);
    block = 0;
    capacity = 0;
    block = NativeHeap.allocate(bytes);
    capacity = bytes;
  }

  /** Writes one struct and those below it, its release last. */
  private void write(Layout layout, long from, long to, long nodeTag) {
    Layout.Shape shape = layout.shape;
    long length = ArrowArrayStruct.length(from);
    long buffers = ArrowArrayStruct.buffers(from);
    long nulls = 0;
    if (shape.hasValidity) {
      nulls = ArrowArrayStruct.nullCount(from);
      if (nulls != 0 && NativeHeap.getLong(buffers) == 0) nulls = 0;
    } else if (shape == Layout.Shape.NULL) {
      nulls = length;
    }
    long surplus = shape == Layout.Shape.VIEW ? 0 : ArrowArrayStruct.nBuffers(from) - shape.buffers;
    ArrowArrayStruct.setLength(to, length);
    ArrowArrayStruct.setNullCount(to, nulls);
    ArrowArrayStruct.setOffset(to, ArrowArrayStruct.offset(from));
    ArrowArrayStruct.setNBuffers(to, ArrowArrayStruct.nBuffers(from) - surplus);
    ArrowArrayStruct.setBuffers(to, buffers + Long.BYTES * surplus);
    Field[] children = layout.children;
    ArrowArrayStruct.setNChildren(to, children.length);
    if (children.length == 0) {
      ArrowArrayStruct.setChildren(to, 0);
    } else {
      ArrowArrayStruct.setChildren(to, nextList);
      nextList += (long) Long.BYTES * children.length;
      for (int i = 0; i < children.length; i++) {
        ArrowArrayStruct.setChild(to, i, writeNext(children[i].layout, ArrowArrayStruct.child(from, i)));
      }
    }
    Field dictionary = layout.dictionary;
    ArrowArrayStruct.setDictionary(to, dictionary == null ? 0 : writeNext(dictionary.layout, ArrowArrayStruct.dictionary(from)));
    ArrowArrayStruct.setPrivateData(to, nodeTag);
    ArrowArrayStruct.setRelease(to, Callbacks.RELEASE_ARRAY);
  }

  private long writeNext(Layout layout, long from) {
    int node = nextNode++;
    long to = block + NODE * (node - 1);
    write(layout, from, to, Slots.node(tag, node));
    return to;
  }

  /** The release callback of every array of ours; runs on any thread. */
  static void release(long array) {
    if (ArrowArrayStruct.release(array) == 0) return;
    long tag = ArrowArrayStruct.privateData(array);
    if (!(Slots.find(tag) instanceof ArrayExport export)) {
      ArrowArrayStruct.setRelease(array, 0);
      Faults.warn("an array was released that had been released before, through a copy of its struct");
      return;
    }
    int released = export.releaseTree(array, tag);
    export.left(released);
  }

  /** Marks a struct and those below it that were not moved out as released, and counts them. */
  private int releaseTree(long array, long nodeTag) {
    ArrowArrayStruct.setRelease(array, 0);
    long state = states + Slots.nodeOf(nodeTag);
    if (NativeHeap.getByte(state) == 0) return 0;
    NativeHeap.putByte(state, (byte) 0);
    int released = 1;
    long children = ArrowArrayStruct.nChildren(array);
    for (long i = 0; i < children; i++) {
      released += releaseBelow(ArrowArrayStruct.child(array, i));
    }
    long dictionary = ArrowArrayStruct.dictionary(array);
    return dictionary == 0 ? released : released + releaseBelow(dictionary);
  }

  private int releaseBelow(long array) {
    long release = ArrowArrayStruct.release(array);
    if (release == 0) return 0;
    long nodeTag = ArrowArrayStruct.privateData(array);
    if (release == Callbacks.RELEASE_ARRAY && Slots.sameSlot(tag, nodeTag)) return releaseTree(array, nodeTag);
    Calls.releaseArray(array); // a consumer put an array of somebody else's there
    return 0;
  }

  private void left(int released) {
    if (released == 0 || (int) LIVE.getAndAdd(this, -released) != released) return;
    Ownership last = owner;
    owner = null;
    recycle();
    if (last != null) last.release();
  }

  private void recycle() {
    tag = Slots.renew(tag);
    if (block != 0) {
      if (capacity > LARGEST_BLOCK_KEPT || IDLE_BLOCKS.get() >= MOST_KEPT) {
        NativeHeap.free(block);
        block = 0;
        capacity = 0;
      } else {
        IDLE_BLOCKS.getAndIncrement();
      }
    }
    IDLE.push(Slots.slot(tag));
  }

  /** Whether C holds this array. */
  boolean isLive() {
    return live != 0;
  }
}
