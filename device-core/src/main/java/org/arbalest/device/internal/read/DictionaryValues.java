// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import org.jspecify.annotations.Nullable;

/** Reads the values of a dictionary column, of any type. */
final class DictionaryValues extends Redirected {
  private final FixedValues.Integers indices;
  private @Nullable ColumnImpl dictionary;

  /** The dictionary, if a count found no null in it. No value is checked for null then. */
  private @Nullable ColumnImpl withoutNulls;

  DictionaryValues(ColumnImpl column, FixedValues.Integers indices) {
    super(column);
    this.indices = indices;
  }

  @Override
  ColumnImpl source(long at) {
    ColumnImpl values = dictionary;
    if (values == null) {
      values = column.dictionary();
      if (values.nullCount() == 0) withoutNulls = values;
      dictionary = values;
    }
    return values;
  }

  @Override
  boolean isNull(long at) {
    ColumnImpl values = source(at);
    return values != withoutNulls && super.isNull(at);
  }

  @Override
  long row(ColumnImpl source, long at) {
    long index = indices.getLong(at);
    long count = source.length;
    if (index < 0 || index >= count) {
      throw column.malformed(at, "index " + index + " is beyond the " + count + " values of the dictionary");
    }
    return index;
  }
}
