// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.ArrayData;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.UnionMode;
import org.arbalest.device.types.NestedType.UnionType;
import org.arbalest.device.internal.memory.NativeHeap;
import org.jspecify.annotations.Nullable;

/**
 * A builder of unions. It stores the child of each element and, in a dense union, the element's offset in that child.
 */
final class UnionBuilder extends UnsupportedAppends {
  private final UnionMode mode;
  private final TypeIds ids;
  private final Children children;

  private final GrowableBuffer typeIds;

  /** The offsets of a dense union; null for a sparse one. */
  private final @Nullable Numbers offsets;

  /** The number of elements that each child needs, in a dense union. */
  private long[] counts;

  UnionBuilder(BuildMemory memory, Field field, UnionType type, int rows) {
    super(memory, field);
    this.mode = type.mode();
    this.ids = new TypeIds(type.typeIds());
    this.children = new Children(this, type.fields(), mode == UnionMode.SPARSE ? rows : 0);
    this.typeIds = new GrowableBuffer(memory, rows);
    this.offsets = mode == UnionMode.DENSE ? new Numbers(memory, 32, rows) : null;
    this.counts = new long[ids.size()];
  }

  @Override
  public ColumnBuilder appendUnion(int child) {
    if (child < 0 || child >= ids.size()) throw unknown("child " + child);
    if (offsets == null) {
      children.checkOthers(child, 1);
    } else {
      checkOffset(counts[child]);
    }
    write(child);
    return this;
  }

  @Override
  public ColumnBuilder appendUnion(String child) {
    return appendUnion(children.find(Objects.requireNonNull(child, "child")));
  }

  @Override
  public ColumnBuilder appendUnions(byte[] newTypeIds) {
    Objects.requireNonNull(newTypeIds, "typeIds");
    int[] chosen = new int[newTypeIds.length];
    for (int i = 0; i < chosen.length; i++) {
      chosen[i] = ids.childOf(newTypeIds[i]);
      if (chosen[i] < 0) throw unknown("type id " + newTypeIds[i]);
    }
    if (offsets == null) {
      children.checkRows(chosen);
    } else {
      checkOffset(Arrays.stream(counts).max().orElse(0) + chosen.length);
    }
    for (int child : chosen) write(child);
    return this;
  }

  private IllegalArgumentException unknown(String what) {
    return new IllegalArgumentException(
        here() + ": has no " + what + "; its children are " + children.names() + ", by type ids " + ids.all());
  }

  private void checkOffset(long offset) {
    if (offset > Integer.MAX_VALUE)
      throw new IllegalArgumentException(here() + ": has 32-bit offsets, but " + offset + " elements");
  }

  /** Writes a row of a child. In a sparse union every other child gets an element for the row, too. */
  private void write(int child) {
    if (offsets == null) {
      children.fillOthers(child);
    } else {
      offsets.put(counts[child]++);
    }
    typeIds.putByte(ids.of(child));
    validity.appendValid();
  }

  @Override
  void addNull() {
    addNulls(1);
  }

  @Override
  void addNulls(long count) {
    if (!isNullable()) throw new IllegalArgumentException(here() + ": is null, but no child may be null");
    checkFillers(count);
    appendFillers(count);
  }

  /** Returns whether the fillers of the chosen child are nulls. */
  @Override
  boolean isNullable() {
    return super.isNullable() && ids.size() > 0 && children.get(fillerChild()).isNullable();
  }

  /** Returns the child that stores the fillers: the first nullable child, or else the first child. */
  private int fillerChild() {
    for (int child = 0; child < ids.size(); child++) {
      if (children.get(child).isNullable()) return child;
    }
    return 0;
  }

  /** Throws if the next {@code count} elements of a child cannot be fillers. */
  private void checkFillers(int child, long count) {
    long appended = children.get(child).length();
    long needed = offsets == null ? length() : counts[child];
    if (appended != needed) {
      throw new IllegalStateException(
          here() + ": an element of child \"" + children.name(child) + "\" comes next, but the child has " + appended
              + " elements instead of " + needed);
    }
    children.get(child).checkFillers(count);
    if (offsets == null) {
      children.checkOthers(child, count);
    } else {
      checkOffset(needed + count - 1);
    }
  }

  @Override
  void checkFillers(long count) {
    if (ids.size() == 0)
      throw new IllegalArgumentException(here() + ": the union has no children, so it has no elements");
    checkFillers(fillerChild(), count);
  }

  @Override
  void checkOwnNulls() {
    throw new IllegalArgumentException(
        "column \"" + path() + "\" is a union, which has no nulls of its own; its children have them");
  }

  @Override
  void writeNull() {}

  @Override
  void appendFiller() {
    int child = fillerChild();
    write(child);
    children.get(child).appendFiller();
  }

  @Override
  public ColumnBuilder child(String name) {
    return children.get(children.find(name));
  }

  @Override
  public ColumnBuilder child(int index) {
    return children.get(index);
  }

  @Override
  public ColumnBuilder addChild(Field child) {
    Objects.requireNonNull(child, "child");
    if (ids.isFull())
      throw new IllegalArgumentException("column \"" + path() + "\": a union has at most " + ids.size() + " children");
    ColumnBuilderImpl added = children.make(child);
    if (offsets == null) added.checkFillers(length());
    children.add(child, added);
    ids.add();
    counts = Arrays.copyOf(counts, ids.size());
    if (offsets == null) {
      for (long row = 0; row < length(); row++) added.appendFiller(); // rows before belong to other children
    }
    return added;
  }

  /** Returns the field with the current types of the children. */
  @Override
  public Field field() {
    UnionType type = new UnionType(mode, ids.all(), children.fields());
    return type.equals(field.type()) ? field : field.withType(type);
  }

  @Override
  List<ColumnBuilderImpl> parts() {
    return children.builders;
  }

  @Override
  void truncate(long length) {
    if (offsets != null) {
      for (long row = length; row < length(); row++) counts[childAt(row)]--;
      offsets.truncate(length);
    }
    typeIds.truncate(length);
    validity.truncate(length);
  }

  @Override
  void truncateParts() {
    for (int i = 0; i < ids.size(); i++) {
      long elements = offsets == null ? length() : counts[i];
      if (children.get(i).length() > elements) children.get(i).truncate(elements);
      children.get(i).truncateParts();
    }
  }

  @Override
  void checkComplete() {
    for (int i = 0; i < ids.size(); i++) {
      ColumnBuilderImpl child = children.get(i);
      long elements = offsets == null ? length() : counts[i];
      if (child.length() != elements) {
        throw new IllegalStateException(
            "column \"" + path() + "\": " + elements + " elements are of child \"" + child.field.name() + "\", but "
                + child.length() + " were appended");
      }
      child.checkComplete();
    }
  }

  private int childAt(long row) {
    return ids.childOf(NativeHeap.getByte(typeIds.address() + row));
  }

  private long placeAt(long row) {
    return offsets == null ? row : offsets.get(row);
  }

  @Override
  long hash(long row) {
    return Hashes.mix(childAt(row), children.get(childAt(row)).hashAt(placeAt(row)));
  }

  @Override
  boolean same(long one, long other) {
    return childAt(one) == childAt(other) && children.get(childAt(one)).sameAt(placeAt(one), placeAt(other));
  }

  @Override
  List<GrowableBuffer> buffers() {
    return offsets == null ? List.of(typeIds) : List.of(typeIds, offsets.buffer());
  }

  @Override
  ArrayData finish() {
    List<@Nullable DeviceBuffer> taken = new ArrayList<>();
    for (GrowableBuffer buffer : buffers()) taken.add(buffer.take());
    return ArrayData.of(length(), 0, taken, children.finish());
  }
}
