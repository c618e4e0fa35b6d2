// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.builders;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.arbalest.device.Device;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceException;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.columns.Column;
import org.arbalest.device.internal.build.BatchBuilderImpl;
import org.arbalest.device.internal.records.ObjectAppender;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Extension;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.ArrowTimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Builds a record batch, column by column, in memory that the CPU can write. Where the CPU cannot
 * write, the batch is built in memory that it can write, and copied by the device's default stream when it is complete.
 *
 * <p>A column that is added by its name is nullable. One that is not is added by its field: {@code
 * column(Field.of("id", DataType.INT64).withNullable(false), values)}.
 *
 * <p>{@link #build} hands the memory on to the array; {@link #close} frees what was not handed on, so that a failure in
 * between leaves nothing allocated. Use it with try-with-resources. Not for several threads at once.
 */
public sealed interface BatchBuilder extends AutoCloseable permits BatchBuilderImpl {
  /**
   * Starts a batch in a memory; the caller owns the builder.
   *
   * @param rows the number of rows of every column
   * @throws DeviceException with {@code ENOSYS} if the device is opaque
   */
  static BatchBuilder of(MemoryManager memory, int rows) {
    return new BatchBuilderImpl(Objects.requireNonNull(memory, "memory"), rows);
  }

  /**
   * Starts a batch whose columns turn out to have some number of rows, the same for all; see
   * {@link #of(MemoryManager, int)}.
   */
  static BatchBuilder of(MemoryManager memory) {
    return new BatchBuilderImpl(Objects.requireNonNull(memory, "memory"));
  }

  /** Starts a batch in a device's own memory; see {@link #of(MemoryManager, int)}. */
  static BatchBuilder of(Device device, int rows) {
    return of(device.memory(), rows);
  }

  /** Starts a batch in a device's own memory; see {@link #of(MemoryManager)}. */
  static BatchBuilder of(Device device) {
    return of(device.memory());
  }

  /** The number of rows that every column must have; if it was not said, that of the first column so far, or 0. */
  int rows();

  /** Sets the metadata of the batch's schema. */
  BatchBuilder metadata(Metadata newMetadata);

  /**
   * Starts a column, to which exactly {@link #rows} values must be appended, or as many as to the others. It belongs to
   * this builder. Any type can be built; an extension type as its storage, and by the appends of its own.
   */
  ColumnBuilder column(Field field);

  /**
   * A column of any type but unions with its values, an object each, null for a null. Objects are what
   * {@link Column#get(long)} answers for the type, and of all classes of values, enums too, that {@code docs/types.md}
   * has as what can be built as it; a list is a Collection or an array, a map a Map or its entries, a struct a Map by
   * the names of its fields. Each exactly, or not at all: 0.1 is no value of float32, nor 300 of int8, nor a nanosecond
   * of timestamp[us]. What is encoded takes flat values.
   *
   * <p>A Long or an Integer is taken for a date, a time, a timestamp or a duration, too: as a count of the column's own
   * unit, whatever that is. {@code System.currentTimeMillis()} in a timestamp[us] is a moment of 1970; give an
   * {@code Instant} where the unit may differ.
   *
   * @throws IllegalArgumentException if one is no value of the type; says the column, the row, the object and what
   *     would be one. The column is then not added (OWN-15)
   */
  default BatchBuilder column(Field field, List<? extends @Nullable Object> values) {
    Objects.requireNonNull(values, "values");
    return ((BatchBuilderImpl) this).add(field, column -> ObjectAppender.appendAll(column, values));
  }

  /**
   * The same of a nullable column: {@code column("at", DataType.timestamp(ArrowTimeUnit.MICROSECOND, "UTC"),
   * instants)}.
   */
  default BatchBuilder column(String name, DataType type, List<? extends @Nullable Object> values) {
    return column(Field.of(name, type), values);
  }

  /** A column of booleans. */
  BatchBuilder bool(String name, boolean[] values);

  /** A column of booleans; elements may be null. */
  BatchBuilder bool(String name, List<? extends @Nullable Boolean> values);

  /** A column of 8-bit integers. */
  BatchBuilder int8(String name, byte[] values);

  /** A column of 8-bit integers; elements may be null. */
  BatchBuilder int8(String name, List<? extends @Nullable Byte> values);

  /** A column of 16-bit integers. */
  BatchBuilder int16(String name, short[] values);

  /** A column of 16-bit integers; elements may be null. */
  BatchBuilder int16(String name, List<? extends @Nullable Short> values);

  /** A column of 32-bit integers. */
  BatchBuilder int32(String name, int[] values);

  /** A column of 32-bit integers; elements may be null. */
  BatchBuilder int32(String name, List<? extends @Nullable Integer> values);

  /** A column of 64-bit integers. */
  BatchBuilder int64(String name, long[] values);

  /** A column of 64-bit integers; elements may be null. */
  BatchBuilder int64(String name, List<? extends @Nullable Long> values);

  /** A column of 32-bit floats. */
  BatchBuilder float32(String name, float[] values);

  /** A column of 32-bit floats; elements may be null. */
  BatchBuilder float32(String name, List<? extends @Nullable Float> values);

  /** A column of 64-bit floats. */
  BatchBuilder float64(String name, double[] values);

  /** A column of 64-bit floats; elements may be null. */
  BatchBuilder float64(String name, List<? extends @Nullable Double> values);

  /**
   * A column of decimals with {@code scale} digits after the point, of {@code precision} in all, which each must fit
   * exactly; elements may be null.
   */
  BatchBuilder decimal128(String name, int precision, int scale, List<? extends @Nullable BigDecimal> values);

  /** A column of text; elements may be null. */
  BatchBuilder utf8(String name, List<? extends @Nullable String> values);

  /** A column of bytes; elements may be null. */
  BatchBuilder binary(String name, List<byte @Nullable []> values);

  /** A column of dates; elements may be null. */
  BatchBuilder date32(String name, List<? extends @Nullable LocalDate> values);

  /**
   * A column of times of day in nanoseconds, which they all are exactly; elements may be null. Another unit is for
   * {@link #column(String, DataType, List)}.
   */
  BatchBuilder time64(String name, List<? extends @Nullable LocalTime> values);

  /**
   * A column of points in time in nanoseconds, with the zone UTC; elements may be null. Nanoseconds reach from 1677 to
   * 2262: what is beyond is refused, and for {@link #column(String, DataType, List)} with another unit, which refuses
   * what it does not have.
   */
  BatchBuilder timestamp(String name, List<? extends @Nullable Instant> values);

  /**
   * A column of dates and times without a zone, in nanoseconds; elements may be null. Otherwise like
   * {@link #timestamp}.
   */
  BatchBuilder localTimestamp(String name, List<? extends @Nullable LocalDateTime> values);

  /**
   * A column of lengths of time in nanoseconds, which reach to 292 years; elements may be null. Otherwise like
   * {@link #timestamp}.
   */
  BatchBuilder duration(String name, List<? extends @Nullable Duration> values);

  /** A column of UUIDs, {@link Extension.Uuid}; elements may be null. */
  BatchBuilder uuid(String name, List<? extends @Nullable UUID> values);

  /**
   * The batch, which the caller must close; this builder is consumed. If it had to be copied, its event tells when it
   * is there.
   *
   * @throws IllegalStateException if a column does not have as many values as the batch has rows, or as the first
   *     column
   */
  DeviceArray build();

  /** Frees what was not handed on to an array. */
  @Override
  void close();
}
