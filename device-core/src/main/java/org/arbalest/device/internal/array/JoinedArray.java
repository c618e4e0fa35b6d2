// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.array;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.Validation;
import org.arbalest.device.internal.abi.RawArrowArray;
import org.arbalest.device.internal.device.DeviceImpl;
import org.arbalest.device.internal.device.DeviceStreamImpl;
import org.arbalest.device.internal.device.EventPoint;
import org.arbalest.device.internal.device.RecordedEvent;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.schema.FieldImpl;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.StructType;
import org.jspecify.annotations.Nullable;

/**
 * The ownership of an array whose children belong to several other arrays. Its own structs are in one block. They refer
 * to the structs and buffers of the other arrays. {@link ColumnJoin} makes it.
 */
final class JoinedArray extends DerivedArray {
  /**
   * A child of the array.
   *
   * @param structOwner the owner of the struct's memory; null if the struct is in the block
   * @param checker the owner that can check the buffers
   */
  record Child(Layout layout, long struct, @Nullable Ownership structOwner, Ownership checker) {}

  private static final Ownership[] NONE = {};

  private final Ownership[] sources;
  private final Child[] children;

  /** The owner of the array's bitmap, or null if it has none. */
  private final @Nullable Ownership rows;

  private final long block;
  private final boolean isCpuAccessible;
  private final boolean storesDataSizes;

  /** The arrays with memory of their own that this keeps, each once. */
  private final Ownership[] memories;

  /** The only source that may not be ready, or null. */
  private final @Nullable Ownership awaited;

  /** The event after the events of several sources that may not be ready, or null. */
  private final @Nullable RecordedEvent event;

  private JoinedArray(Ownership[] sources, Child[] children, @Nullable Ownership rows, long block,
      boolean storesDataSizes, Ownership[] memories, @Nullable Ownership awaited, @Nullable RecordedEvent event,
      boolean isEmpty) {
    super(isEmpty || anyHasEmpty(sources));
    this.sources = sources;
    this.children = children;
    this.rows = rows;
    this.block = block;
    this.isCpuAccessible = allCpuAccessible(sources);
    this.storesDataSizes = storesDataSizes;
    this.memories = memories;
    this.awaited = awaited;
    this.event = event;
  }

  /**
   * Takes over the block of a {@link StructBlock}, and adds a reference to each source. On failure, the caller still
   * has the block, and no reference was added. If several sources may not be ready, a stream waits for them, which may
   * block this thread.
   *
   * @param sources the other arrays, each once; the caller has a reference to each
   * @param rows the owner of the array's bitmap, which is one of the sources; null if it has none
   * @param storesDataSizes whether all structs store their data sizes; otherwise none does
   */
  static JoinedArray of(Device device, Ownership[] sources, Child[] children, @Nullable Ownership rows, long block,
      boolean storesDataSizes, boolean isEmpty) {
    Ownership[] memories = memories(sources);
    RecordedEvent event = null;
    int retained = 0;
    try {
      while (retained < sources.length) {
        sources[retained].retain();
        retained++;
      }
      Ownership awaited = null;
      boolean several = false;
      for (Ownership source : sources) {
        if (source.syncEvent() == 0) continue;
        several |= awaited != null && awaited.syncEvent() != source.syncEvent();
        awaited = source.awaited();
      }
      if (several) {
        awaited = null;
        event = eventAfter(device, sources);
      }
      return new JoinedArray(sources, children, rows, block, storesDataSizes, memories, awaited, event, isEmpty);
    } catch (Throwable t) {
      if (event != null) event.release();
      while (retained > 0) sources[--retained].release();
      throw t;
    }
  }

  private static boolean anyHasEmpty(Ownership[] sources) {
    for (Ownership source : sources) {
      if (source.hasEmpty) return true;
    }
    return false;
  }

  private static boolean allCpuAccessible(Ownership[] sources) {
    for (Ownership source : sources) {
      if (!source.isCpuAccessible()) return false;
    }
    return true;
  }

  private static Ownership[] memories(Ownership[] sources) {
    Set<Ownership> memories = new LinkedHashSet<>();
    for (Ownership source : sources) addMemories(source, memories);
    return memories.toArray(NONE);
  }

  private static void addMemories(Ownership source, Set<Ownership> memories) {
    Ownership at = source;
    while (true) {
      if (at instanceof SelectedArray selected) {
        at = selected.base;
      } else if (at instanceof JoinedArray joined) {
        Collections.addAll(memories, joined.memories);
        return;
      } else if (memories.add(at) && at instanceof ConvertedArray converted && converted.sources() > 0) {
        at = converted.source(0);
      } else {
        return;
      }
    }
  }

  /**
   * Lets a stream wait for the events of all sources, and returns an event after them. The caller releases it. Returns
   * null if all sources are ready meanwhile.
   */
  private static @Nullable RecordedEvent eventAfter(Device device, Ownership[] sources) {
    DeviceStream stream = null;
    try {
      for (Ownership source : sources) {
        EventPoint point = source.event();
        if (point == null) {
          if (source.syncEvent() == 0) continue;
          throw DeviceImpl.unwrap(device).refusal("the event of a column's array cannot complete here");
        }
        if (point.isKnownDone()) continue;
        // Arrays in main memory may have the events of a GPU, whose own stream waits without blocking this thread. The
        // default stream may be in use for a capture.
        if (stream == null) stream = point.device.createStream();
        DeviceStreamImpl.unwrap(stream).waitFor(point, source);
      }
      return stream == null ? null : DeviceStreamImpl.unwrap(stream).recordEvent();
    } finally {
      if (stream != null) stream.close();
    }
  }

  @Override
  public long syncEvent() {
    if (event != null) return event.point.isKnownDone() ? 0 : event.point.cell;
    return awaited == null ? 0 : awaited.syncEvent();
  }

  @Override
  public boolean mayHaveToWait() {
    if (event != null) return !event.point.isKnownDone();
    return awaited != null && awaited.mayHaveToWait();
  }

  @Override
  public @Nullable EventPoint event() {
    if (event != null) return event.point;
    return awaited == null ? null : awaited.event();
  }

  @Override
  Ownership awaited() {
    return awaited == null ? this : awaited;
  }

  @Override
  public long dataSize(long struct) {
    return storesDataSizes ? sizeBehindBuffers(struct) : Long.MAX_VALUE;
  }

  @Override
  boolean storesDataSizes() {
    return storesDataSizes;
  }

  @Override
  public boolean isCpuAccessible() {
    return isCpuAccessible;
  }

  @Override
  boolean hasLooseChildren() {
    return true;
  }

  /** Lets the owner of each column check it, because the others may belong to other devices. */
  @Override
  public void checkBuffers(Field field, long struct, Validation level) {
    boolean isRoot = RawArrowArray.buffers(struct) == RawArrowArray.buffers(block); // or a selection's copy of it
    Ownership checker = isRoot ? this : checker(0, struct);
    if (checker != this) {
      checker.checkBuffers(field, struct, level);
      return;
    }
    if (isRoot && rows != null)
      rows.checkBuffers(field.storage().withType(new StructType(List.of())), struct, level);
    FieldImpl[] fields = Layout.of(field).children;
    for (int i = 0; i < fields.length; i++) {
      long child = RawArrowArray.child(struct, i);
      try {
        Ownership owner = checker(i, child);
        owner.checkBuffers(fields[i], child, level);
      } catch (MalformedException e) {
        throw e.under(fields[i].name());
      }
    }
  }

  @Override
  Ownership ownerOf(int column, long struct) {
    Child child = find(column, struct);
    return child == null || child.structOwner == null ? this : child.structOwner;
  }

  @Override
  Ownership ownerOfBuffers(long struct) {
    return rows != null && struct == block ? rows : this;
  }

  @Override
  Ownership checker(int column, long struct) {
    Child child = find(column, struct);
    if (child != null) return child.checker;
    for (Child above : children) {
      if (contains(above.layout, above.struct, struct)) return above.checker;
    }
    return this;
  }

  /** Returns the child with a struct, or null. It is probably at the given position. */
  private @Nullable Child find(int column, long struct) {
    for (int i = 0; i < children.length; i++) {
      Child child = children[(int) ((column + (long) i) % children.length)];
      if (child.struct == struct) return child;
    }
    return null;
  }

  /** Returns whether a struct is another one, is below it, or is a copy of a struct in it. */
  private static boolean contains(Layout layout, long struct, long sought) {
    if (struct == sought) return true;
    // a selection copies structs, but not the lists of their buffers
    if (layout.shape == Layout.Shape.STRUCT && RawArrowArray.buffers(struct) == RawArrowArray.buffers(sought))
      return true;
    for (int i = 0; i < layout.children.length; i++) {
      if (contains(layout.children[i].layout, RawArrowArray.child(struct, i), sought)) return true;
    }
    return layout.dictionary != null
        && contains(layout.dictionary.layout, RawArrowArray.dictionary(struct), sought);
  }

  @Override
  long bytes() {
    long sum = 0;
    for (Ownership memory : memories) {
      long bytes = memory instanceof ConvertedArray converted ? converted.ownBytes() : memory.bytes();
      if (bytes < 0) return bytes;
      sum += bytes;
    }
    return sum;
  }

  @Override
  int sources() {
    return sources.length;
  }

  @Override
  Ownership source(int index) {
    return sources[index];
  }

  @Override
  void freeOwn() {
    if (event != null) event.release();
    NativeHeap.free(block);
  }
}
