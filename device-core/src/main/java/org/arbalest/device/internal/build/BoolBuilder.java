// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.List;
import java.util.Objects;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;
import org.arbalest.device.internal.memory.Bitmaps;
import org.arbalest.device.internal.memory.NativeHeap;

/** A builder of boolean columns, which store one bit per value. */
final class BoolBuilder extends UnsupportedAppends {
  private final GrowableBuffer bits;

  /** Creates a builder. The result's type lets the JVM verify the caller without loading this class. */
  static ColumnBuilderImpl of(BuildMemory memory, Field field, int rows) {
    return new BoolBuilder(memory, field, rows);
  }

  BoolBuilder(BuildMemory memory, Field field, int rows) {
    super(memory, field);
    this.bits = new GrowableBuffer(memory, (rows + 7L) >>> 3);
  }

  @Override
  public ColumnBuilder append(boolean value) {
    extend();
    if (value) Bitmaps.set(bits.address(), length());
    validity.appendValid();
    return this;
  }

  @Override
  public ColumnBuilder appendAll(boolean[] values) {
    int count = Objects.requireNonNull(values, "values").length;
    long first = length();
    bits.extendWithZeroes(((first + count + 7) >>> 3) - bits.size());
    long address = bits.address();
    int i = 0;
    for (; i < count && ((first + i) & 7) != 0; i++) set(address, first + i, values[i]);
    for (; i <= count - 8; i += 8) NativeHeap.putByte(address + ((first + i) >>> 3), eight(values, i));
    for (; i < count; i++) set(address, first + i, values[i]);
    validity.appendValid(count);
    return this;
  }

  private static void set(long address, long bit, boolean value) {
    if (value) Bitmaps.set(address, bit);
  }

  private static byte eight(boolean[] values, int from) {
    int eight = 0;
    for (int i = 0; i < 8; i++) eight |= (values[from + i] ? 1 : 0) << i;
    return (byte) eight;
  }

  @Override
  void writeNull() {
    extend();
  }

  @Override
  void writeNulls(long count) {
    bits.extendWithZeroes(((length() + count + 7) >>> 3) - bits.size());
  }

  @Override
  void appendFillers(long count) {
    appendFillersAtOnce(count);
  }

  private void extend() {
    if ((length() & 7) == 0) bits.putByte((byte) 0);
  }

  @Override
  void truncate(long length) {
    validity.truncate(length);
    bits.truncate((length + 7) >>> 3);
    if ((length & 7) == 0) return;
    long last = bits.address() + (length >>> 3);
    // appends only set bits, so the unused bits must be zero
    NativeHeap.putByte(last, (byte) (NativeHeap.getByte(last) & ((1 << (length & 7)) - 1)));
  }

  @Override
  long hash(long row) {
    return Hashes.mix(Hashes.START, Bitmaps.get(bits.address(), row) ? 1 : 0);
  }

  @Override
  boolean same(long one, long other) {
    return Bitmaps.get(bits.address(), one) == Bitmaps.get(bits.address(), other);
  }

  @Override
  List<GrowableBuffer> buffers() {
    return List.of(bits);
  }
}
