// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.Devices;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.columns.Column;
import org.arbalest.device.types.ArrowTimeUnit;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.DurationType;
import org.arbalest.device.types.FlatType.IntervalType;
import org.arbalest.device.types.FlatType.TimestampType;
import org.arbalest.device.types.NestedType.FixedSizeListType;
import org.arbalest.device.types.NestedType.LargeListType;
import org.arbalest.device.types.NestedType.ListType;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * The bound columns that a known driver stores as other values: they are bound in a way that it stores right, or
 * refused.
 *
 * <ul>
 *   <li>SQLite's driver multiplies the days of a {@code date32} in 32 bits. A parameter is bound as the text that it
 *       means to write; an ingestion, whose table would get a column of another type, refuses such dates.
 *   <li>PostgreSQL's driver writes null items of lists as 0 or an empty text, and divides nanoseconds by 1000.
 * </ul>
 *
 * (Seen with 1.13; {@code statement_reader.c} and {@code copy/writer.h} of apache/arrow-adbc.)
 */
final class BoundColumns {
  /** The days after 1970 whose seconds fit 32 bits: 1901-12-14 to 2038-01-19. */
  private static final int MOST_DAYS = Integer.MAX_VALUE / 86_400;

  private static final int NANOS_PER_MICRO = 1000;

  private final KnownDriver driver;
  private final Schema schema;
  private final boolean isIngest;

  /** The number of rows in the batches before. */
  private long before;

  private BoundColumns(KnownDriver driver, Schema schema, boolean isIngest) {
    this.driver = driver;
    this.schema = schema;
    this.isIngest = isIngest;
  }

  /** Returns the columns of a statement's next execution; null if the driver stores all of them right. */
  static @Nullable BoundColumns of(NativeHandle statement, Schema schema, boolean isIngest) {
    boolean hasDates = false;
    boolean hasOthers = false;
    for (Field field : schema.fields()) {
      hasDates |= isDate(field);
      hasOthers |= isList(field) || hasNanos(field);
    }
    if (!hasDates && !hasOthers) return null;
    return switch (KnownDriver.of(statement)) {
      case SQLITE -> hasDates ? new BoundColumns(KnownDriver.SQLITE, schema, isIngest) : null;
      case POSTGRESQL -> hasOthers ? new BoundColumns(KnownDriver.POSTGRESQL, schema, isIngest) : null;
      case OTHER -> null;
    };
  }

  private static boolean isDate(Field field) {
    return field.type().equals(DataType.DATE32);
  }

  private static boolean isList(Field field) {
    return field.type() instanceof ListType || field.type() instanceof LargeListType
        || field.type() instanceof FixedSizeListType;
  }

  private static boolean hasNanos(Field field) {
    return switch (field.type()) {
      case TimestampType time -> time.unit() == ArrowTimeUnit.NANOSECOND;
      case DurationType duration -> duration.unit() == ArrowTimeUnit.NANOSECOND;
      case IntervalType interval -> interval.equals(DataType.INTERVAL_MONTH_DAY_NANO);
      default -> false;
    };
  }

  /** Returns the schema of the batches that {@link #stored} returns. */
  Schema schema() {
    if (!areTexts()) return schema;
    List<Field> fields = new ArrayList<>(schema.fields());
    fields.replaceAll(field -> isDate(field) ? field.withType(DataType.UTF8) : field);
    return Schema.of(fields);
  }

  private boolean areTexts() {
    return driver == KnownDriver.SQLITE && !isIngest;
  }

  /**
   * Returns a batch of the columns as the driver gets them; the caller closes it, and keeps its own.
   *
   * @throws IllegalArgumentException if the driver would store another value; the message names column, row and value
   */
  RecordBatch stored(RecordBatch batch) {
    List<Field> fields = schema.fields();
    for (int i = 0; i < fields.size(); i++) {
      if (driver == KnownDriver.POSTGRESQL) checkForPostgreSql(batch.column(i));
      if (driver == KnownDriver.SQLITE && isIngest && isDate(fields.get(i))) checkDates(batch.column(i));
    }
    RecordBatch stored = areTexts() ? withTexts(batch) : batch.retain();
    before += batch.length();
    return stored;
  }

  private void checkForPostgreSql(Column column) {
    if (isList(column.field())) {
      if (column.items().nullCount() > 0) checkItems(column);
      if (hasNanos(column.items().field()) && rowWithNanos(column.items()) >= 0) checkNanosOfItems(column);
    } else if (hasNanos(column.field())) {
      long row = rowWithNanos(column);
      if (row >= 0) throw nanos(column, row);
    }
  }

  private void checkNanosOfItems(Column lists) {
    for (long row = 0; row < lists.length(); row++)
      if (!lists.isNull(row) && rowWithNanos(lists.getList(row)) >= 0) throw nanos(lists, row);
  }

  /** Returns the first row whose time is not a number of microseconds; -1 without one. */
  private static long rowWithNanos(Column times) {
    boolean hasNulls = times.nullCount() > 0;
    LongUnaryOperator nanos = times.field().type() instanceof IntervalType
        ? row -> times.getInterval(row).nanoseconds() : times.asLongs()::get;
    for (long row = 0; row < times.length(); row++) {
      if (hasNulls && times.isNull(row)) continue;
      if (nanos.applyAsLong(row) % NANOS_PER_MICRO != 0) return row;
    }
    return -1;
  }

  private IllegalArgumentException nanos(Column column, long row) {
    return new IllegalArgumentException(place(column, before + row) + ": the time has nanoseconds, which PostgreSQL's "
        + "driver would cut off; bind the column in microseconds");
  }

  private void checkItems(Column lists) {
    for (long row = 0; row < lists.length(); row++) {
      if (lists.isNull(row) || lists.getList(row).nullCount() == 0) continue;
      throw new IllegalArgumentException(
          place(lists, before + row) + ": the list has a null item, for which PostgreSQL's driver "
              + "would store 0 or an empty text; bind the list as text, such as '{1,NULL,3}', and cast it, such as "
              + "$1::int[]");
    }
  }

  private void checkDates(Column dates) {
    var days = dates.asInts();
    for (long row = 0; row < dates.length(); row++) {
      if (dates.isNull(row) || Math.abs((long) days.get(row)) <= MOST_DAYS) continue;
      throw new IllegalArgumentException(place(dates, before + row) + ": SQLite's driver would store another date for "
          + LocalDate.ofEpochDay(days.get(row)) + ", since it is before " + LocalDate.ofEpochDay(-MOST_DAYS)
          + " or after " + LocalDate.ofEpochDay(MOST_DAYS) + "; ingest the column as text, such as '1900-01-01'");
    }
  }

  private static String place(Column column, long row) {
    return "column " + column.name() + ", row " + row;
  }

  private RecordBatch withTexts(RecordBatch batch) {
    List<DeviceArray> columns = new ArrayList<>();
    List<String> names = new ArrayList<>();
    try {
      for (int i = 0; i < schema.fields().size(); i++) {
        names.add(schema.fields().get(i).name());
        columns.add(isDate(schema.fields().get(i)) ? texts(batch.column(i)) : batch.retainChild(i));
      }
      return RecordBatch.ofColumns(names, columns);
    } finally {
      columns.forEach(DeviceArray::close);
    }
  }

  private static String text(LocalDate date, String place) {
    if (date.getYear() >= 0 && date.getYear() <= 9999) return date.toString();
    throw new IllegalArgumentException(
        place + ": SQLite has no date " + date + ", only years 0000 to 9999; bind it as text or as a number");
  }

  private DeviceArray texts(Column dates) {
    List<@Nullable String> texts = new ArrayList<>();
    for (long row = 0; row < dates.length(); row++)
      texts.add(dates.isNull(row) ? null : text(dates.getLocalDate(row), place(dates, before + row)));
    try (BatchBuilder batch = BatchBuilder.of(Devices.cpu(), texts.size())) {
      batch.column(Field.of("", DataType.UTF8), texts);
      try (RecordBatch built = batch.build()) {
        return built.retainChild(0);
      }
    }
  }
}
