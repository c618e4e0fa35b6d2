// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.List;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.LargeListType;
import org.arbalest.device.types.NestedType.ListType;

/** A builder of lists with offsets. */
final class ListBuilder extends ItemsBuilder {
  private final OffsetsBuilder offsets;

  ListBuilder(BuildMemory memory, Field field, Field item, int rows) {
    super(memory, field, item, rows);
    this.offsets = new OffsetsBuilder(this, rows);
  }

  @Override
  void write(int size) {
    offsets.append(size);
  }

  @Override
  long elements() {
    return offsets.last();
  }

  @Override
  DataType type(Field item) {
    return field.type() instanceof LargeListType ? new LargeListType(item) : new ListType(item);
  }

  @Override
  void writeNull() {
    offsets.append(0);
  }

  @Override
  void writeNulls(long count) {
    offsets.appendEmpty(count);
  }

  @Override
  void truncate(long length) {
    validity.truncate(length);
    offsets.truncate(length);
  }

  @Override
  long hash(long row) {
    return Hashes.ofAll(items.builder, offsets.get(row), size(row));
  }

  @Override
  boolean same(long one, long other) {
    return size(one) == size(other) && Hashes.sameAll(items.builder, offsets.get(one), offsets.get(other), size(one));
  }

  private long size(long row) {
    return offsets.get(row + 1) - offsets.get(row);
  }

  @Override
  List<GrowableBuffer> buffers() {
    return List.of(offsets.buffer());
  }
}
