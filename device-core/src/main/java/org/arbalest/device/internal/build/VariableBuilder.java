// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.LargeUtf8Type;
import org.arbalest.device.types.FlatType.Utf8Type;

/** A builder of text and binary columns with offsets. */
final class VariableBuilder extends TextBuilder {
  private final OffsetsBuilder offsets;
  private final GrowableBuffer data;

  /** Creates a builder. The result's type lets the JVM verify the caller without loading this class. */
  static ColumnBuilderImpl of(BuildMemory memory, Field field, int rows) {
    return new VariableBuilder(memory, field, rows);
  }

  VariableBuilder(BuildMemory memory, Field field, int rows) {
    super(memory, field, field.type() instanceof Utf8Type || field.type() instanceof LargeUtf8Type);
    this.offsets = new OffsetsBuilder(this, rows);
    this.data = new GrowableBuffer(memory, rows);
  }

  @Override
  public ColumnBuilder append(MemorySegment value) {
    offsets.check(Objects.requireNonNull(value, NO_VALUE).byteSize());
    put(data, value);
    offsets.append(value.byteSize());
    validity.appendValid();
    return this;
  }

  @Override
  public ColumnBuilder appendAll(MemorySegment from, MemorySegment bytes) {
    Objects.requireNonNull(from, "offsets");
    Objects.requireNonNull(bytes, "data");
    long count = offsets.countOf(from);
    for (long i = 0, last = 0; i <= count; i++) {
      long next = offsets.read(from, i);
      if (next < last || next > bytes.byteSize()) {
        throw refused("offsets[" + i + "] = " + next + ", behind " + last + ", of " + bytes.byteSize() + " bytes", "");
      }
      if (isText && next < bytes.byteSize() && (bytes.get(JAVA_BYTE, next) & 0xC0) == 0x80)
        throw refused("text that begins within a character, at " + next, "");
      last = next;
    }
    long first = offsets.read(from, 0);
    MemorySegment spanned = bytes.asSlice(first, offsets.read(from, count) - first);
    offsets.check(spanned.byteSize());
    put(data, spanned);
    for (long i = 0; i < count; i++) offsets.append(offsets.read(from, i + 1) - offsets.read(from, i));
    validity.appendValid(count);
    return this;
  }

  @Override
  ColumnBuilder write(byte[] bytes) {
    offsets.append(bytes.length);
    data.putBytes(bytes);
    validity.appendValid();
    return this;
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
    data.truncate(offsets.last());
  }

  @Override
  long hash(long row) {
    return Hashes.of(data.address() + offsets.get(row), size(row));
  }

  @Override
  boolean same(long one, long other) {
    long size = size(one);
    return size == size(other)
        && Hashes.same(data.address() + offsets.get(one), data.address() + offsets.get(other), size);
  }

  private long size(long row) {
    return offsets.get(row + 1) - offsets.get(row);
  }

  @Override
  List<GrowableBuffer> buffers() {
    return List.of(offsets.buffer(), data);
  }
}
