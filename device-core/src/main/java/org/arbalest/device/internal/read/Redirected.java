// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.math.BigDecimal;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Interval;
import org.arbalest.device.columns.Tensor;
import org.jspecify.annotations.Nullable;

/** Reads values that are stored elsewhere, in a dictionary or in a child. */
abstract class Redirected extends Values {
  final ColumnImpl column;

  Redirected(ColumnImpl column) {
    super(column.field());
    this.column = column;
  }

  /** Returns the column that holds the value of a position. */
  abstract ColumnImpl source(long at);

  /** Returns the row in that column; checks that it exists. */
  abstract long row(ColumnImpl source, long at);

  /** Returns the position of the value in that column's buffers. */
  private long place(ColumnImpl source, long at) {
    return source.offset + row(source, at);
  }

  @Override
  final Field fieldAt(long at) {
    ColumnImpl source = source(at);
    return source.values.fieldAt(place(source, at));
  }

  @Override
  boolean isNull(long at) {
    ColumnImpl source = source(at);
    return source.isNullAt(place(source, at));
  }

  @Override
  final boolean getBoolean(long at) {
    ColumnImpl source = source(at);
    return source.values.getBoolean(place(source, at));
  }

  @Override
  final long getLong(long at) {
    ColumnImpl source = source(at);
    return source.values.getLong(place(source, at));
  }

  @Override
  final double getDouble(long at) {
    ColumnImpl source = source(at);
    return source.values.getDouble(place(source, at));
  }

  @Override
  final BigDecimal getDecimal(long at) {
    ColumnImpl source = source(at);
    return source.values.getDecimal(place(source, at));
  }

  @Override
  final String getString(long at) {
    ColumnImpl source = source(at);
    return source.values.getString(place(source, at));
  }

  @Override
  final byte[] getBytes(long at, long most) {
    ColumnImpl source = source(at);
    return source.values.getBytes(place(source, at), most);
  }

  @Override
  final Interval getInterval(long at) {
    ColumnImpl source = source(at);
    return source.values.getInterval(place(source, at));
  }

  @Override
  final UUID getUuid(long at) {
    ColumnImpl source = source(at);
    return source.values.getUuid(place(source, at));
  }

  @Override
  final OffsetDateTime getOffsetDateTime(long at) {
    ColumnImpl source = source(at);
    return source.values.getOffsetDateTime(place(source, at));
  }

  @Override
  final Tensor getTensor(long at) {
    ColumnImpl source = source(at);
    return source.values.getTensor(place(source, at));
  }

  @Override
  final ColumnImpl getList(long at) {
    ColumnImpl source = source(at);
    return source.values.getList(place(source, at));
  }

  @Override
  int getTypeId(long at) {
    ColumnImpl source = source(at);
    return source.getTypeId(row(source, at)); // that row may be null, which this method checks
  }

  @Override
  long getChildRow(long at) {
    ColumnImpl source = source(at);
    return source.getChildRow(row(source, at)); // that row may be null, which this method checks
  }

  @Override
  final @Nullable Object get(long at) {
    ColumnImpl source = source(at);
    return source.object(place(source, at));
  }
}
