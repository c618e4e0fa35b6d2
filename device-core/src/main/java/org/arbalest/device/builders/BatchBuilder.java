// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.builders;

import com.google.errorprone.annotations.CheckReturnValue;
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
import org.arbalest.device.DeviceException;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.columns.Column;
import org.arbalest.device.internal.build.BatchBuilderImpl;
import org.arbalest.device.internal.records.ObjectAppender;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Extension;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Metadata;
import org.jspecify.annotations.Nullable;

/**
 * A builder of a record batch, column by column, in memory that the CPU can write. If the CPU cannot write the target
 * memory, the builder uses memory that it can write, and the device's default stream copies the complete batch.
 *
 * <p>A column that is added by its name is nullable. For a column that is not, add it by its field:
 * {@code column(Field.of("id", DataType.INT64).withNullable(false), values)}.
 *
 * <p><b>Ownership.</b> {@link #build} moves the memory to the array. {@link #close} frees all memory that was not
 * moved, so that a failure in between leaks nothing. Use the builder with try-with-resources.
 *
 * <p><b>Threads.</b> Not thread-safe.
 */
public sealed interface BatchBuilder extends AutoCloseable permits BatchBuilderImpl {
  /**
   * Creates a builder of a batch in a memory. The caller closes the builder.
   *
   * @param rows the number of rows of every column
   * @throws DeviceException with {@code ENOSYS} if the device is opaque
   */
  @CheckReturnValue
  static BatchBuilder of(MemoryManager memory, int rows) {
    return new BatchBuilderImpl(Objects.requireNonNull(memory, "memory"), rows);
  }

  /**
   * Creates a builder of a batch whose number of rows is that of its columns, the same for all; see
   * {@link #of(MemoryManager, int)}.
   */
  @CheckReturnValue
  static BatchBuilder of(MemoryManager memory) {
    return new BatchBuilderImpl(Objects.requireNonNull(memory, "memory"));
  }

  /** Creates a builder of a batch in a device's own memory; see {@link #of(MemoryManager, int)}. */
  @CheckReturnValue
  static BatchBuilder of(Device device, int rows) {
    return of(device.memory(), rows);
  }

  /** Creates a builder of a batch in a device's own memory; see {@link #of(MemoryManager)}. */
  @CheckReturnValue
  static BatchBuilder of(Device device) {
    return of(device.memory());
  }

  /**
   * Returns the number of rows that every column must have. If it was not given, returns the present number of the
   * first column, or 0.
   */
  int rows();

  /** Sets the metadata of the batch's schema. */
  BatchBuilder metadata(Metadata newMetadata);

  /**
   * Adds a column, and returns its builder, which belongs to this builder. Append exactly {@link #rows} values to it,
   * or as many as to the other columns. Every type can be built. An extension type is built as its storage, and by the
   * append methods for its own values.
   */
  ColumnBuilder column(Field field);

  /**
   * Adds a column of any type except unions with its values: one object each, null for a null. The objects have the
   * class that {@link Column#get(long)} returns for the type. They may also have any other class that
   * {@code docs/types.md} lists for building the type, including enums. A list is a Collection or an array, a map is a
   * Map or its entries, and a struct is a Map with the names of its fields. An encoded type accepts flat values.
   *
   * <p>Each value is stored exactly, or rejected. Examples of rejected values are 0.1 in float32, 300 in int8, and a
   * nanosecond in timestamp[us].
   *
   * <p>A Long or an Integer is also accepted for a date, a time, a timestamp or a duration: as a number of the column's
   * own unit. {@code System.currentTimeMillis()} in a timestamp[us] is thus a moment in 1970. Pass an {@code Instant}
   * where the unit may differ.
   *
   * @throws IllegalArgumentException if a value does not fit the type; the message has the column, the row, the value
   *     and the accepted classes. The column is then not added (OWN-15)
   */
  default BatchBuilder column(Field field, List<? extends @Nullable Object> values) {
    Objects.requireNonNull(values, "values");
    return ((BatchBuilderImpl) this).add(field, column -> ObjectAppender.appendAll(column, values));
  }

  /**
   * Adds a nullable column with its values:
   * {@code column("at", DataType.timestamp(ArrowTimeUnit.MICROSECOND, "UTC"), instants)}. See
   * {@link #column(Field, List)}.
   */
  default BatchBuilder column(String name, DataType type, List<? extends @Nullable Object> values) {
    return column(Field.of(name, type), values);
  }

  /** Adds a column of booleans. */
  BatchBuilder bool(String name, boolean[] values);

  /** Adds a column of booleans; elements may be null. */
  BatchBuilder bool(String name, List<? extends @Nullable Boolean> values);

  /** Adds a column of 8-bit integers. */
  BatchBuilder int8(String name, byte[] values);

  /** Adds a column of 8-bit integers; elements may be null. */
  BatchBuilder int8(String name, List<? extends @Nullable Byte> values);

  /** Adds a column of 16-bit integers. */
  BatchBuilder int16(String name, short[] values);

  /** Adds a column of 16-bit integers; elements may be null. */
  BatchBuilder int16(String name, List<? extends @Nullable Short> values);

  /** Adds a column of 32-bit integers. */
  BatchBuilder int32(String name, int[] values);

  /** Adds a column of 32-bit integers; elements may be null. */
  BatchBuilder int32(String name, List<? extends @Nullable Integer> values);

  /** Adds a column of 64-bit integers. */
  BatchBuilder int64(String name, long[] values);

  /** Adds a column of 64-bit integers; elements may be null. */
  BatchBuilder int64(String name, List<? extends @Nullable Long> values);

  /** Adds a column of 32-bit floating-point numbers. */
  BatchBuilder float32(String name, float[] values);

  /** Adds a column of 32-bit floating-point numbers; elements may be null. */
  BatchBuilder float32(String name, List<? extends @Nullable Float> values);

  /** Adds a column of 64-bit floating-point numbers. */
  BatchBuilder float64(String name, double[] values);

  /** Adds a column of 64-bit floating-point numbers; elements may be null. */
  BatchBuilder float64(String name, List<? extends @Nullable Double> values);

  /**
   * Adds a column of decimals with {@code precision} digits, {@code scale} of them after the point. Each value must fit
   * exactly; elements may be null.
   */
  BatchBuilder decimal128(String name, int precision, int scale, List<? extends @Nullable BigDecimal> values);

  /** Adds a column of text; elements may be null. */
  BatchBuilder utf8(String name, List<? extends @Nullable String> values);

  /** Adds a column of binary values; elements may be null. */
  BatchBuilder binary(String name, List<byte @Nullable []> values);

  /** Adds a column of dates; elements may be null. */
  BatchBuilder date32(String name, List<? extends @Nullable LocalDate> values);

  /**
   * Adds a column of times of day in nanoseconds, which store every value exactly; elements may be null. For another
   * unit, use {@link #column(String, DataType, List)}, which rejects values that the unit cannot represent. In
   * contrast, {@code time64} of the Kotlin module {@code org.arbalest.coroutines} stores microseconds by default, and
   * rounds down.
   */
  BatchBuilder time64(String name, List<? extends @Nullable LocalTime> values);

  /**
   * Adds a column of points in time in nanoseconds, with the zone UTC; elements may be null. Nanoseconds cover the
   * years 1677 to 2262, and other times are rejected. For another unit, use {@link #column(String, DataType, List)},
   * which rejects values that the unit cannot represent. In contrast, {@code timestamp} of the Kotlin module
   * {@code org.arbalest.coroutines} stores microseconds by default, and rounds down.
   */
  BatchBuilder timestamp(String name, List<? extends @Nullable Instant> values);

  /**
   * Adds a column of dates and times without a zone, in nanoseconds; elements may be null. See {@link #timestamp} for
   * the range, for other units, and for the Kotlin function of this name.
   */
  BatchBuilder localTimestamp(String name, List<? extends @Nullable LocalDateTime> values);

  /**
   * Adds a column of durations in nanoseconds, of at most 292 years; elements may be null. See {@link #timestamp} for
   * other units, and for the Kotlin function of this name.
   */
  BatchBuilder duration(String name, List<? extends @Nullable Duration> values);

  /** Adds a column of UUIDs, {@link Extension.Uuid}; elements may be null. */
  BatchBuilder uuid(String name, List<? extends @Nullable UUID> values);

  /**
   * Returns the batch, which the caller closes. This builder then accepts nothing more. If the batch is copied to
   * another memory, its event completes when the copy is done.
   *
   * @throws IllegalStateException if a column has another number of values than the batch has rows, or than the first
   *     column
   */
  @CheckReturnValue
  RecordBatch build();

  /** Frees all memory that was not moved to an array. */
  @Override
  void close();
}
