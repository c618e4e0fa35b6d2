// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import org.jspecify.annotations.Nullable;

/** Values looked up in a dictionary, which are of any type. */
final class DictionaryValues extends Redirected {
  private final FixedValues.Integers indices;
  private @Nullable ColumnImpl dictionary;

  /** A dictionary in which no value is null, which is known once they were counted; then no row's is looked at. */
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
