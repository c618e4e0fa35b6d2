// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.List;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.LargeListViewType;
import org.arbalest.device.types.NestedType.ListViewType;
import org.arbalest.device.internal.schema.Layout;
import org.arbalest.device.internal.schema.TypeNames;

/** A builder of list-views, whose lists have an offset and a size each, in any order. */
final class ListViewBuilder extends ItemsBuilder {
  private final boolean isLong;
  private final Numbers offsets;
  private final Numbers sizes;

  /** The index after the last element of any list. */
  private long end;

  /** Whether the caller gave the offset of a list. There may be elements outside all lists then. */
  private boolean placed;

  ListViewBuilder(BuildMemory memory, Field field, Field item, int rows) {
    super(memory, field, item, rows);
    long bits = Layout.of(field).bits;
    this.isLong = bits == 64;
    this.offsets = new Numbers(memory, bits, rows);
    this.sizes = new Numbers(memory, bits, rows);
  }

  @Override
  public ColumnBuilder appendListView(long offset, int size) {
    if (size < 0 || offset < 0)
      throw new IllegalArgumentException(here() + ": a list of size " + size + " at " + offset);
    put(offset, size);
    validity.appendValid();
    placed = true;
    return this;
  }

  @Override
  void write(int size) {
    put(end, size);
  }

  private void put(long offset, int size) {
    long behind = offset + size;
    if (behind < 0 || (!isLong && behind > Integer.MAX_VALUE)) {
      throw new IllegalArgumentException(
          here() + ": has " + (isLong ? 64 : 32) + "-bit offsets, but elements at " + offset + " and " + size
              + " more; use large_"
              + TypeNames.of(field.type()));
    }
    offsets.put(offset);
    sizes.put(size);
    end = Math.max(end, behind);
  }

  @Override
  long elements() {
    return end;
  }

  @Override
  DataType type(Field item) {
    return field.type() instanceof LargeListViewType ? new LargeListViewType(item) : new ListViewType(item);
  }

  @Override
  void writeNull() {
    put(end, 0);
  }

  @Override
  void writeNulls(long count) {
    offsets.put(end, count);
    sizes.put(0, count);
  }

  @Override
  void truncate(long length) {
    validity.truncate(length);
    offsets.truncate(length);
    sizes.truncate(length);
  }

  /**
   * Removes the elements that no list uses. If the caller gave offsets, it removes nothing, because elements appended
   * ahead must not move. If the caller gave only sizes, all elements after the last list are unused.
   */
  @Override
  void truncateParts() {
    long length = length();
    if (placed || validity.nullCount() == length) return;
    end = offsets.get(length - 1) + sizes.get(length - 1);
    items.truncate(end);
  }

  @Override
  long progress() {
    return placed ? ~end : end;
  }

  @Override
  void restored(long progress) {
    placed = progress < 0;
    end = placed ? ~progress : progress;
  }

  @Override
  void checkComplete() {
    boolean mayHaveOthers = placed || validity.nullCount() == length();
    items.check("lists", "elements", mayHaveOthers ? Math.max(end, items.builder.length()) : end);
  }

  @Override
  long hash(long row) {
    return Hashes.ofAll(items.builder, offsets.get(row), sizes.get(row));
  }

  @Override
  boolean same(long one, long other) {
    return sizes.get(one) == sizes.get(other)
        && Hashes.sameAll(items.builder, offsets.get(one), offsets.get(other), sizes.get(one));
  }

  @Override
  List<GrowableBuffer> buffers() {
    return List.of(offsets.buffer(), sizes.buffer());
  }
}
