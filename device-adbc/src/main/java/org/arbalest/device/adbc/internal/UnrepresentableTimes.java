// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import org.arbalest.device.RecordBatch;
import org.arbalest.device.adbc.AdbcException;
import org.arbalest.device.adbc.AdbcStatus;
import org.arbalest.device.columns.Column;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.DateType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.NestedType.ListType;
import org.arbalest.device.types.NestedType.StructType;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Values of PostgreSQL that no column of Arrow can hold: {@code infinity}, and times after the year 294246. Its driver
 * adds the days or microseconds between 1970 and 2000, and the sum overflows to a time before all that PostgreSQL has.
 * (Seen with 1.13.)
 */
final class UnrepresentableTimes {
  /** The first moment and the first day that PostgreSQL has, 4714-11-24 BC. */
  private static final long FIRST_MICROS = -210_866_803_200_000_000L;

  private static final long FIRST_DAY = -2_440_588;

  private static final long MICROS_TO_2000 = 946_684_800_000_000L;
  private static final int DAYS_TO_2000 = 10_957;

  private final NativeHandle statement;

  private UnrepresentableTimes(NativeHandle statement) {
    this.statement = statement;
  }

  /** Returns the check of a result; null if it has no such columns, or another driver. */
  static @Nullable UnrepresentableTimes of(NativeHandle statement, Schema schema) {
    boolean hasAny = schema.fields().stream().map(Field::type).anyMatch(UnrepresentableTimes::isChecked);
    return hasAny && KnownDriver.of(statement) == KnownDriver.POSTGRESQL ? new UnrepresentableTimes(statement) : null;
  }

  private static boolean isChecked(DataType type) {
    return switch (type) {
      case TimestampType _ -> true;
      case ListType list -> isChecked(list.item().type());
      case StructType struct -> struct.fields().stream().anyMatch(field -> isChecked(field.type()));
      default -> type.equals(DataType.DATE32);
    };
  }

  /** Throws if the batch has such a value; then the batch is closed. */
  void check(RecordBatch batch) {
    try {
      for (int i = 0; i < batch.schema().fields().size(); i++) {
        Column column = batch.column(i);
        check(column.name(), "row ", column);
      }
    } catch (Throwable t) {
      batch.close();
      throw t;
    }
  }

  private void check(String name, String of, Column column) {
    DataType type = column.field().type();
    if (!isChecked(type)) return;
    if (type instanceof ListType) {
      check(name, "item ", column.items());
    } else if (type instanceof StructType struct) {
      for (int i = 0; i < struct.fields().size(); i++) {
        Column field = column.column(i);
        check(name + "." + field.name(), of, field);
      }
    } else if (type instanceof DateType) {
      checkDays(name, of, column);
    } else {
      checkMicros(name, of, column);
    }
  }

  private void checkMicros(String name, String of, Column column) {
    var micros = column.asLongs();
    boolean hasNulls = column.nullCount() > 0;
    for (long row = 0; row < column.length(); row++) {
      if (hasNulls && column.isNull(row)) continue;
      long value = micros.get(row);
      if (value >= FIRST_MICROS) continue;
      throw refused(name, of + row, value == Long.MAX_VALUE + MICROS_TO_2000 ? "infinity"
          : value == Long.MIN_VALUE + MICROS_TO_2000 ? "-infinity" : "a time after the year 294246");
    }
  }

  private void checkDays(String name, String of, Column column) {
    var days = column.asInts();
    boolean hasNulls = column.nullCount() > 0;
    for (long row = 0; row < column.length(); row++) {
      if (hasNulls && column.isNull(row)) continue;
      int value = days.get(row);
      if (value >= FIRST_DAY) continue;
      throw refused(name, of + row, value == Integer.MIN_VALUE + DAYS_TO_2000 ? "-infinity" : "infinity");
    }
  }

  /** Returns the error for a value of a column, or of a struct's field, whose name is a path. */
  private AdbcException refused(String name, String place, String what) {
    String inSql = name.indexOf('.') < 0 ? name : "(" + name.replaceFirst("\\.", ").");
    return AdbcException.of("get_next of the result", AdbcStatus.INVALID_DATA.code()).driver(statement.driver.name())
        .message("column " + name + ", " + place + " of this batch: the value is " + what
            + ", which a column of Arrow cannot hold, and the driver returns another time for it; select the column as "
            + "text, such as " + inSql + "::text, or the value as null, such as NULLIF(" + inSql + ", 'infinity')")
        .build();
  }
}
