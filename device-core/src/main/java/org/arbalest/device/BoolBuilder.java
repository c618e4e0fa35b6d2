package org.arbalest.device;

import java.util.List;

/** Booleans, one bit each. */
final class BoolBuilder extends ColumnBuilder {
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
