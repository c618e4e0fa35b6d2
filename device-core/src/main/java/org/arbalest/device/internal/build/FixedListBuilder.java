// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.List;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.NestedType.FixedSizeListType;

/** A builder of fixed-size lists. Null lists have elements, too. */
final class FixedListBuilder extends ItemsBuilder {
  private final int size;

  FixedListBuilder(BuildMemory memory, Field field, FixedSizeListType type, int rows) {
    super(memory, field, type.item(), (long) type.size() * rows);
    this.size = type.size();
  }

  @Override
  public ColumnBuilder appendTensor(int... shape) {
    return appendList(WholeValue.elements(this, shape));
  }

  @Override
  void write(int elements) {
    if (elements != size)
      throw new IllegalArgumentException(here() + ": a list of " + elements + " elements, but all lists have " + size);
  }

  @Override
  long elements() {
    return length() * size;
  }

  @Override
  DataType type(Field item) {
    return new FixedSizeListType(item, size);
  }

  @Override
  void checkFillers(long count) {
    long appended = items.builder.length();
    if (appended != elements()) {
      throw new IllegalStateException(
          here() + ": cannot append a null of " + size + " elements: the lists before have " + elements()
              + ", but " + appended + " were appended");
    }
    if (size > 0) items.builder.checkFillers(Math.multiplyExact(count, size));
  }

  @Override
  void addNull() {
    checkFillers(1);
    super.addNull();
  }

  @Override
  void addNulls(long count) {
    checkFillers(count);
    super.addNulls(count);
  }

  @Override
  void writeNull() {
    items.builder.appendFillers(size);
  }

  @Override
  void writeNulls(long count) {
    items.builder.appendFillers(count * size);
  }

  @Override
  void truncate(long length) {
    validity.truncate(length);
  }

  @Override
  long hash(long row) {
    return Hashes.ofAll(items.builder, row * size, size);
  }

  @Override
  boolean same(long one, long other) {
    return Hashes.sameAll(items.builder, one * size, other * size, size);
  }

  @Override
  List<GrowableBuffer> buffers() {
    return List.of();
  }
}
