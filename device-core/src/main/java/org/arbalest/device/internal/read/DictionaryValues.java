package org.arbalest.device.internal.read;

import org.jspecify.annotations.Nullable;

/** Values looked up in a dictionary, which are of any type. */
final class DictionaryValues extends Redirected {
  private final FixedValues.Integers indices;
  private @Nullable ColumnImpl dictionary;

  DictionaryValues(ColumnImpl column, FixedValues.Integers indices) {
    super(column);
    this.indices = indices;
  }

  @Override
  ColumnImpl source(long at) {
    ColumnImpl values = dictionary;
    if (values == null) dictionary = values = column.dictionary();
    return values;
  }

  @Override
  long row(long at) {
    long index = indices.getLong(at);
    long count = source(at).length;
    if (index < 0 || index >= count) {
      throw column.malformed(at, "index " + index + " is beyond the " + count + " values of the dictionary");
    }
    return index;
  }
}
