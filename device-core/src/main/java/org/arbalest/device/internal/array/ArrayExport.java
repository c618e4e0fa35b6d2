package org.arbalest.device.internal.array;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.arbalest.device.DeviceException;
import org.arbalest.device.abi.ArrowArrayStruct;
import org.arbalest.device.internal.calls.Afterwards;
import org.arbalest.device.internal.calls.ExitGuard;
import org.arbalest.device.internal.lifetime.HeldByC;
import org.arbalest.device.internal.memory.Faults;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Slots;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.jspecify.annotations.Nullable;

/**
 * One array that C holds: the structs below the base struct, in one block, and how many of them are not yet released.
 *
 * <p>Each struct counts, since a consumer may move a child out and release it after its parent (OWN-06). The lists of buffer pointers are
 * not copied: they belong to the array's memory, which an export holds. Exports are recycled together with their slot and their block, so
 * that exporting a batch like the one before allocates nothing.
 *
 * <p>The block: the structs below the base struct, then the lists of children. A struct's {@code private_data} is the slot's tag with the
 * struct's number, under which we remember whether it is still to be released, so that a second release of it does nothing, even through a
 * bitwise copy (OWN-07).
 *
 * <p>When some forty accesses to native memory have been inlined into a method, C2 calls all others, which doubles the time: hence few
 * accesses for each struct.
 */
public final class ArrayExport implements HeldByC {
  /** The release callback of every array of ours, for C. */
  public static final long RELEASE =
      ExitGuard.stub(MethodHandles.lookup(), "released", FunctionDescriptor.ofVoid(JAVA_LONG), Afterwards.RELEASE_ARRAY);

  private static final long NODE = ArrowArrayStruct.SIZE;

  /** The size of what describes an array, from length to dictionary. */
  private static final long DESCRIPTION = ArrowArrayStruct.LAYOUT.byteOffset(PathElement.groupElement("release"));

  private static final byte RELEASED = 0;
  private static final byte LIVE_LEAF = 1;
  private static final byte LIVE_TREE = 2;
  private static final byte[] NO_STATES = {};

  private static final long LARGEST_BLOCK_KEPT = 16 << 10;
  private static final int MOST_KEPT = 256;

  /** Idle exports. Threads share a stack with few others: sharing one with all would cost more than the export. */
  private static final Slots.Stack[] IDLE = new Slots.Stack[16];

  private static final VarHandle LIVE;

  static {
    try {
      LIVE = MethodHandles.lookup().findVarHandle(ArrayExport.class, "live", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
    Arrays.setAll(IDLE, _ -> new Slots.Stack());
  }

  private final Slots.Stack home;
  private long tag;
  private long block;
  private long capacity;

  /** For each struct, whether it is still to be released; if so, whether there are others below it. */
  private byte[] states = NO_STATES;

  private @Nullable Ownership owner;

  /** The number of structs that C has not released; use LIVE. */
  @SuppressWarnings("UnusedVariable") // read and written through LIVE
  private int live;

  private int nextNode;
  private long nextList;

  private ArrayExport(Slots.Stack home) {
    this.home = home;
  }

  /**
   * Exports an array to {@code out}, an {@code ArrowArray}. The holder that the caller has passes to the export; if this throws, the caller
   * still has it, and the release of {@code out} was not written.
   *
   * @param node the array's own struct, which has the shape of {@code layout}
   * @param offset where the array begins in its buffers
   */
  static void export(Ownership owner, Layout layout, long node, long offset, long length, long out) {
    ArrayExport export = take(layout);
    export.owner = owner;
    LIVE.setRelease(export, 1 + layout.descendants);
    export.nextNode = 1;
    export.nextList = export.block + NODE * layout.descendants;
    try {
      boolean sliced = offset != ArrowArrayStruct.offset(node) || length != ArrowArrayStruct.length(node);
      export.write(layout, node, out, 0);
      if (sliced) narrow(layout, out, offset, length);
      if (sliced || offset != 0) pushDown(layout, out);
      if (length == 0 || owner.hasEmptyAtOffset) resetEmpty(layout, out);
    } catch (Throwable t) { // the stack is exhausted
      export.owner = null;
      LIVE.setRelease(export, 0);
      export.recycle();
      throw t;
    }
    ArrowArrayStruct.setRelease(out, RELEASE);
  }

  /** Makes a struct describe some of its elements; how many of those are null is not known, unless none are. */
  private static void narrow(Layout layout, long array, long offset, long length) {
    ArrowArrayStruct.setOffset(array, offset);
    ArrowArrayStruct.setLength(array, length);
    if (layout.shape == Layout.Shape.NULL) {
      ArrowArrayStruct.setNullCount(array, length);
    } else if (ArrowArrayStruct.nullCount(array) != 0) {
      ArrowArrayStruct.setNullCount(array, -1);
    }
  }

  /** Moves the offset and the length of a struct without nulls of its own to its fields, since some peers look there only (ARR-13). */
  private static void pushDown(Layout layout, long struct) {
    if (layout.shape != Layout.Shape.STRUCT || ArrowArrayStruct.buffer(struct, 0) != 0) return;
    long offset = ArrowArrayStruct.offset(struct);
    long length = ArrowArrayStruct.length(struct);
    for (int i = 0; i < layout.children.length; i++) {
      Layout child = layout.children[i].layout;
      long field = ArrowArrayStruct.child(struct, i);
      if (offset == 0 && ArrowArrayStruct.length(field) == length) continue;
      narrow(child, field, ArrowArrayStruct.offset(field) + offset, length);
      pushDown(child, field);
    }
    ArrowArrayStruct.setOffset(struct, 0);
  }

  /** Lets arrays without elements begin at 0, and shortens what is positioned by them alone to nothing (ARR-19). */
  private static void resetEmpty(Layout layout, long array) {
    boolean isEmpty = ArrowArrayStruct.length(array) == 0;
    if (isEmpty) {
      ArrowArrayStruct.setOffset(array, 0);
      ArrowArrayStruct.setNullCount(array, 0);
    }
    for (int i = 0; i < layout.children.length; i++) {
      long child = ArrowArrayStruct.child(array, i);
      if (isEmpty && layout.shape.positionsChildren()) ArrowArrayStruct.setLength(child, 0);
      resetEmpty(layout.children[i].layout, child);
    }
    if (layout.dictionary != null) resetEmpty(layout.dictionary.layout, ArrowArrayStruct.dictionary(array));
  }

  /** A slot and a block with room for the structs below the base: all that can fail. */
  private static ArrayExport take(Layout layout) {
    if (layout.descendants >= Slots.MOST_NODES) {
      throw DeviceException.invalid(
          "the array has " + layout.descendants + " structs below it; at most " + (Slots.MOST_NODES - 1) + " can be exported");
    }
    Slots.Stack idle = IDLE[(int) Thread.currentThread().threadId() & (IDLE.length - 1)];
    int slot = idle.pop();
    ArrayExport export;
    if (slot < 0) {
      export = new ArrayExport(idle);
      export.tag = Slots.take(export);
    } else {
      export = (ArrayExport) Slots.owner(slot);
      if (export == null) throw new AssertionError("an idle export lost its slot");
    }
    try {
      export.ensure(layout.descendants);
    } catch (Throwable t) {
      export.recycle();
      throw t;
    }
    return export;
  }

  private void ensure(int nodes) {
    if (states.length <= nodes) states = new byte[nodes + 1];
    long bytes = (NODE + Long.BYTES) * nodes;
    if (capacity >= bytes) return;
    NativeHeap.free(block);
    block = 0;
    capacity = 0;
    block = NativeHeap.allocate(bytes);
    capacity = bytes;
  }

  /** Writes one struct but for its release, and those below it. */
  private void write(Layout layout, long from, long to, int node) {
    NativeHeap.copy(from, to, DESCRIPTION);
    Layout.Shape shape = layout.shape;
    if (shape.hasValidity) {
      if (ArrowArrayStruct.nullCount(from) != 0 && ArrowArrayStruct.buffer(from, 0) == 0) ArrowArrayStruct.setNullCount(to, 0);
    } else {
      writeWithoutValidity(shape, from, to);
    }
    if (layout.descendants != 0) writeBelow(layout, from, to);
    states[node] = layout.descendants == 0 ? LIVE_LEAF : LIVE_TREE;
    ArrowArrayStruct.setPrivateData(to, Slots.node(tag, node));
  }

  /** These have no nulls, or nothing else, and no bitmap, though older peers send one (ARR-05). */
  private static void writeWithoutValidity(Layout.Shape shape, long from, long to) {
    ArrowArrayStruct.setNullCount(to, shape == Layout.Shape.NULL ? ArrowArrayStruct.length(from) : 0);
    long surplus = ArrowArrayStruct.nBuffers(from) - shape.buffers;
    ArrowArrayStruct.setNBuffers(to, shape.buffers);
    ArrowArrayStruct.setBuffers(to, ArrowArrayStruct.buffers(from) + Long.BYTES * surplus);
  }

  private void writeBelow(Layout layout, long from, long to) {
    FieldImpl[] children = layout.children;
    long sources = ArrowArrayStruct.children(from);
    long list = nextList;
    nextList += (long) Long.BYTES * children.length;
    ArrowArrayStruct.setChildren(to, children.length == 0 ? 0 : list);
    for (int i = 0; i < children.length; i++) {
      long at = (long) Long.BYTES * i;
      NativeHeap.putLong(list + at, writeNext(children[i].layout, NativeHeap.getLong(sources + at)));
    }
    FieldImpl dictionary = layout.dictionary;
    if (dictionary != null) ArrowArrayStruct.setDictionary(to, writeNext(dictionary.layout, ArrowArrayStruct.dictionary(from)));
  }

  private long writeNext(Layout layout, long from) {
    int node = nextNode++;
    long to = block + NODE * (node - 1);
    write(layout, from, to, node);
    ArrowArrayStruct.setRelease(to, RELEASE);
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
    int node = Slots.nodeOf(nodeTag);
    byte state = states[node];
    states[node] = RELEASED;
    if (state == RELEASED) return 0;
    return state == LIVE_LEAF ? 1 : 1 + releaseBelow(array);
  }

  private int releaseBelow(long array) {
    int released = 0;
    long count = ArrowArrayStruct.nChildren(array);
    long list = ArrowArrayStruct.children(array);
    for (long i = 0; i < count; i++) released += releaseNext(NativeHeap.getLong(list + Long.BYTES * i));
    long dictionary = ArrowArrayStruct.dictionary(array);
    return dictionary == 0 ? released : released + releaseNext(dictionary);
  }

  private int releaseNext(long array) {
    long release = ArrowArrayStruct.release(array);
    if (release == 0) return 0;
    long nodeTag = ArrowArrayStruct.privateData(array);
    if (release == RELEASE && Slots.sameSlot(tag, nodeTag)) return releaseTree(array, nodeTag);
    ArrayImport.giveBack(array); // a consumer put an array of somebody else's there
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
    if (capacity > LARGEST_BLOCK_KEPT || home.size() >= MOST_KEPT) {
      Slots.leave(tag);
      NativeHeap.free(block);
    } else {
      tag = Slots.renew(tag);
      home.push(Slots.slot(tag));
    }
  }

  /** Whether C holds this array. */
  public boolean isLive() {
    return (int) LIVE.getVolatile(this) != 0;
  }

  @Override
  public @Nullable Kind heldAs() {
    return isLive() ? Kind.EXPORT : null;
  }
}
