package org.arbalest.device;

import java.util.List;

/** Nulls only. */
final class NullBuilder extends ColumnBuilder {
  NullBuilder(BuildMemory memory, Field field) {
    super(memory, field);
  }

  @Override
  void writeNull() {}

  @Override
  List<GrowableBuffer> buffers() {
    return List.of();
  }

  @Override
  ArrayData finish() {
    return ArrayData.of(length(), length(), List.of());
  }
}
