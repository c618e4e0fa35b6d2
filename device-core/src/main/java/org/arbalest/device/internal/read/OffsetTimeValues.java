// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

/**
 * Reads structs of a timestamp and an offset. A row with a null timestamp is null; a null offset is read as 0 minutes.
 */
final class OffsetTimeValues extends StructValues {
  private static final int MOST_MINUTES = ZoneOffset.MAX.getTotalSeconds() / 60;

  private final ColumnImpl timestamps;
  private final ColumnImpl offsets;

  OffsetTimeValues(ColumnImpl column) {
    super(column);
    this.timestamps = column.childAt(0);
    this.offsets = column.childAt(1);
  }

  @Override
  boolean hasNullsBelow() {
    return timestamps.validity() != 0;
  }

  @Override
  boolean isNull(long at) {
    return timestamps.isNull(at - column.offset);
  }

  @Override
  OffsetDateTime getOffsetDateTime(long at) {
    long row = at - column.offset;
    long minutes = offsets.isNull(row) ? 0 : offsets.getLong(row);
    if (minutes < -MOST_MINUTES || minutes > MOST_MINUTES) {
      throw new ArithmeticException(
          offsets.describe() + ", row " + row + ": " + minutes + " minutes are not an offset of java.time ("
              + -MOST_MINUTES + " to " + MOST_MINUTES + ")");
    }
    try {
      return timestamps.getInstant(row).atOffset(ZoneOffset.ofTotalSeconds((int) minutes * 60));
    } catch (DateTimeException e) {
      ArithmeticException none = new ArithmeticException(
          column.describe() + ", row " + row + ": " + timestamps.getLong(row) + " at " + minutes
              + " minutes is not a date and time of java.time");
      none.initCause(e);
      throw none;
    }
  }
}
