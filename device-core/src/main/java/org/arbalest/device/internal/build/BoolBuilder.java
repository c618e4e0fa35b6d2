package org.arbalest.device.internal.build;

import java.util.List;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.Field;
import org.arbalest.device.internal.memory.Bitmaps;

/** Booleans, one bit each. */
final class BoolBuilder extends ColumnBuilderImpl {
  private final GrowableBuffer bits;

  BoolBuilder(BuildMemory memory, Field field, int rows) {
    super(memory, field);
    this.bits = new GrowableBuffer(memory, (rows + 7L) >>> 3);
  }

  @Override
  public ColumnBuilder append(boolean value) {
    extend();
    if (value) Bitmaps.set(bits.address(), length());
    validity.appendValid(1);
    return this;
  }

  @Override
  void writeNull() {
    extend();
  }

  private void extend() {
    if ((length() & 7) == 0) bits.putByte((byte) 0);
  }

  @Override
  List<GrowableBuffer> buffers() {
    return List.of(bits);
  }
}
