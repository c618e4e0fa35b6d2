// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.arbalest.device.ArrayData;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.NestedType.DictionaryType;
import org.arbalest.device.internal.schema.MalformedException;
import org.arbalest.device.internal.schema.TypeNames;

/**
 * A builder of dictionary columns: indices into distinct values, which are collected in the order of their first use.
 */
final class DictionaryBuilder extends EncodedBuilder {
  private final boolean ordered;
  private final Numbers indices;
  private final ValueTable known = new ValueTable();

  /** Positions of the text values in the dictionary. Text columns often repeat a few strings. */
  private final Map<String, Integer> texts = new HashMap<>();

  private IntType index;
  private boolean grows;

  DictionaryBuilder(BuildMemory memory, Field field, DictionaryType type, int rows) {
    super(memory, field, type.values());
    this.ordered = type.ordered();
    this.index = type.index();
    this.indices = new Numbers(memory, index.bits(), rows);
  }

  @Override
  public ColumnBuilder append(String value) {
    Integer position = texts.get(Objects.requireNonNull(value, NO_VALUE));
    if (position == null) {
      super.append(value);
      texts.put(value, (int) positionAt(length() - 1));
    } else {
      indices.put(position);
      validity.appendValid();
    }
    return this;
  }

  @Override
  void encode() {
    int position = known.find(values.builder);
    if (position == values.builder.length() - 1) {
      try {
        ensureWidth(position);
      } catch (Throwable t) {
        known.clear();
        throw t;
      }
    } else {
      values.truncate(values.builder.length() - 1);
      known.drop();
    }
    indices.put(position);
    validity.appendValid();
  }

  /** Makes the indices wide enough for a position, or throws if the caller did not call {@link #growIndices}. */
  private void ensureWidth(long position) {
    while (position > most()) {
      if (!grows) {
        throw new IllegalArgumentException(
            here() + ": value " + position + " of the dictionary is beyond what " + TypeNames.of(index)
                + " indices count (" + most() + ")");
      }
      index = new IntType(2 * index.bits(), index.signed());
      indices.widen(index.bits());
    }
  }

  private long most() {
    return index.bits() == Long.SIZE ? Long.MAX_VALUE : (1L << (index.signed() ? index.bits() - 1 : index.bits())) - 1;
  }

  @Override
  public ColumnBuilder growIndices() {
    grows = true;
    return this;
  }

  @Override
  public ColumnBuilder appendIndex(long position) {
    long count = values.builder.length();
    if (position < 0 || position >= count)
      throw new IllegalArgumentException(here() + ": index " + position + " into a dictionary of " + count + " values");
    ensureWidth(position);
    indices.put(position);
    validity.appendValid();
    return this;
  }

  @Override
  public ColumnBuilder appendIndices(int[] positions) {
    Objects.requireNonNull(positions, "indices");
    return together(() -> {
      for (int position : positions) appendIndex(position);
    });
  }

  @Override
  public ColumnBuilder dictionary() {
    return values.builder;
  }

  @Override
  public ColumnBuilder dictionary(Field value) {
    return replace(value);
  }

  @Override
  String pathOf(String part) {
    return super.pathOf(MalformedException.DICTIONARY);
  }

  @Override
  String described() {
    return "a dictionary, whose values are appended one by one, and their parts to dictionary()";
  }

  /** Returns the field with the current width of the indices and the current type of the values. */
  @Override
  public Field field() {
    DictionaryType type = new DictionaryType(index, values.builder.field(), ordered);
    return type.equals(field.type()) ? field : field.withType(type);
  }

  @Override
  void writeNull() {
    indices.put(0);
  }

  @Override
  void writeNulls(long count) {
    indices.put(0, count);
  }

  @Override
  void checkFillers(long count) {
    if (needsValue()) values.builder.checkFillers(1);
  }

  /** Returns whether the next filler needs a value in the dictionary, because it cannot be null. Any value serves. */
  private boolean needsValue() {
    return !isNullable() && values.builder.length() == 0;
  }

  @Override
  void appendFiller() {
    if (needsValue()) values.builder.appendFiller();
    super.appendFiller();
  }

  @Override
  void truncate(long length) {
    validity.truncate(length);
    indices.truncate(length);
  }

  @Override
  long progress() {
    return index.bits();
  }

  /** Restores the former width of the indices. */
  @Override
  void restored(long progress) {
    if (progress != 0 && progress != index.bits()) {
      index = new IntType((int) progress, index.signed());
      indices.narrow(index.bits());
    }
    changed();
  }

  /** Clears the lookup tables, because values were removed or changed. */
  @Override
  void changed() {
    known.clear();
    texts.clear();
  }

  @Override
  void checkComplete() {
    values.checkComplete();
  }

  /**
   * Returns the position of a row's value in the dictionary. It does not depend on the width and the sign of the
   * indices.
   */
  private long positionAt(long row) {
    return indices.get(row) & (-1L >>> (Long.SIZE - index.bits()));
  }

  @Override
  long hash(long row) {
    return Hashes.mix(Hashes.START, positionAt(row));
  }

  @Override
  boolean same(long one, long other) {
    return indices.get(one) == indices.get(other);
  }

  @Override
  List<GrowableBuffer> buffers() {
    return List.of(indices.buffer());
  }

  @Override
  ArrayData finish() {
    ArrayData own = finish(List.of());
    return new ArrayData(own.length(), own.nullCount(), 0, own.buffers(), List.of(), values.builder.finish());
  }
}
