package org.arbalest.device.internal.read;

import java.math.BigDecimal;
import org.arbalest.device.Column;
import org.arbalest.device.DeviceException;
import org.jspecify.annotations.Nullable;

/** Values looked up in a dictionary. */
final class DictionaryValues extends Values {
  private final ColumnImpl column;
  private final FixedValues.Integers indices;
  private @Nullable Column dictionary;

  DictionaryValues(ColumnImpl column, FixedValues.Integers indices) {
    super(column.field());
    this.column = column;
    this.indices = indices;
  }

  private Column dictionary() {
    Column values = dictionary;
    if (values == null) dictionary = values = column.dictionary();
    return values;
  }

  private long index(long at) {
    long index = indices.getLong(at);
    long count = dictionary().length();
    if (index < 0 || index >= count) {
      throw DeviceException.invalid("column \"" + field.name() + "\": index " + index + " is beyond the " + count + " values of the dictionary");
    }
    return index;
  }

  @Override
  boolean isNull(long at) {
    return dictionary().isNull(index(at));
  }

  @Override
  boolean getBoolean(long at) {
    return dictionary().getBoolean(index(at));
  }

  @Override
  long getLong(long at) {
    return dictionary().getLong(index(at));
  }

  @Override
  double getDouble(long at) {
    return dictionary().getDouble(index(at));
  }

  @Override
  BigDecimal getDecimal(long at) {
    return dictionary().getDecimal(index(at));
  }

  @Override
  String getString(long at) {
    return dictionary().getString(index(at));
  }

  @Override
  byte[] getBytes(long at) {
    return dictionary().getBytes(index(at));
  }

  @Override
  Column getList(long at) {
    return dictionary().getList(index(at));
  }

  @Override
  @Nullable Object get(long at) {
    return dictionary().get(index(at));
  }
}
