package org.arbalest.device.internal.read;

import java.math.BigDecimal;
import org.arbalest.device.Column;
import org.arbalest.device.Field;
import org.arbalest.device.Interval;
import org.jspecify.annotations.Nullable;

/** Values that stand elsewhere: in a dictionary, in a child. They are read there. */
abstract class Redirected extends Values {
  final ColumnImpl column;

  Redirected(ColumnImpl column) {
    super(column.field());
    this.column = column;
  }

  /** The column in which the value for a position stands. */
  abstract ColumnImpl source(long at);

  /** The row in it; checked to be there. */
  abstract long row(long at);

  @Override
  final Field fieldAt(long at) {
    ColumnImpl source = source(at);
    return source.values.fieldAt(source.offset + row(at));
  }

  @Override
  final boolean isNull(long at) {
    return source(at).isNull(row(at));
  }

  @Override
  final boolean getBoolean(long at) {
    ColumnImpl source = source(at);
    return source.values.getBoolean(source.offset + row(at));
  }

  @Override
  final long getLong(long at) {
    ColumnImpl source = source(at);
    return source.values.getLong(source.offset + row(at));
  }

  @Override
  final double getDouble(long at) {
    ColumnImpl source = source(at);
    return source.values.getDouble(source.offset + row(at));
  }

  @Override
  final BigDecimal getDecimal(long at) {
    ColumnImpl source = source(at);
    return source.values.getDecimal(source.offset + row(at));
  }

  @Override
  final String getString(long at) {
    ColumnImpl source = source(at);
    return source.values.getString(source.offset + row(at));
  }

  @Override
  final byte[] getBytes(long at) {
    ColumnImpl source = source(at);
    return source.values.getBytes(source.offset + row(at));
  }

  @Override
  final Interval getInterval(long at) {
    ColumnImpl source = source(at);
    return source.values.getInterval(source.offset + row(at));
  }

  @Override
  final Column getList(long at) {
    ColumnImpl source = source(at);
    return source.values.getList(source.offset + row(at));
  }

  @Override
  int getTypeId(long at) {
    ColumnImpl source = source(at);
    return source.values.getTypeId(source.offset + row(at));
  }

  @Override
  long getChildRow(long at) {
    ColumnImpl source = source(at);
    return source.values.getChildRow(source.offset + row(at));
  }

  @Override
  final @Nullable Object get(long at) {
    return source(at).get(row(at));
  }
}
