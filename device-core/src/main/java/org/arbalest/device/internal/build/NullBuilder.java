package org.arbalest.device.internal.build;

import java.util.List;
import org.arbalest.device.ArrayData;
import org.arbalest.device.Field;

/** Nulls only. */
final class NullBuilder extends ColumnBuilderImpl {
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
