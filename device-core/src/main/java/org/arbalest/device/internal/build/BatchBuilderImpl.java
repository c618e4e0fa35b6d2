// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.builders.BatchBuilder;
import org.arbalest.device.builders.ColumnBuilder;
import org.arbalest.device.internal.array.ArrayAssembly;
import org.arbalest.device.internal.array.RecordBatchImpl;
import org.arbalest.device.internal.device.CpuDevice;
import org.arbalest.device.types.ArrowTimeUnit;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.FlatType.BoolType;
import org.arbalest.device.types.FlatType.FloatType;
import org.arbalest.device.types.FlatType.IntType;
import org.arbalest.device.types.FlatType.Utf8Type;
import org.arbalest.device.types.Metadata;
import org.arbalest.device.types.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A builder of a batch, whose columns share one {@link BuildMemory} and move into the batch together. See
 * {@link BatchBuilder}.
 */
public final class BatchBuilderImpl implements BatchBuilder {
  private final MemoryManager target;
  private final MemoryManager writable;
  private final BuildMemory memory;

  /** The number of rows of the batch, or -1 if the columns determine it. */
  private final int rows;

  private final List<ColumnBuilderImpl> columns = new ArrayList<>();
  private Metadata metadata = Metadata.empty();

  public BatchBuilderImpl(MemoryManager target, int rows) {
    if (rows < 0) throw new IllegalArgumentException("the number of rows is not negative, but " + rows + " was given");
    this(rows, target);
  }

  /** Creates a builder of a batch that has as many rows as its columns. */
  public BatchBuilderImpl(MemoryManager target) {
    this(-1, target);
  }

  private BatchBuilderImpl(int rows, MemoryManager target) {
    this.target = target;
    this.writable =
        target.isCpuAccessible() ? target : target.device().hostMemory().orElseGet(() -> CpuDevice.get().memory());
    this.memory = new BuildMemory(writable);
    this.rows = rows;
  }

  @Override
  public int rows() {
    return Math.toIntExact(rowCount());
  }

  private long rowCount() {
    if (rows >= 0) return rows;
    return columns.isEmpty() ? 0 : columns.getFirst().length();
  }

  @Override
  public BatchBuilder metadata(Metadata newMetadata) {
    metadata = Objects.requireNonNull(newMetadata, "newMetadata");
    return this;
  }

  @Override
  public ColumnBuilderImpl column(Field field) {
    ColumnBuilderImpl column = create(field);
    columns.add(column);
    return column;
  }

  /**
   * Creates a column that is no part of the batch until {@link #added}. Frequent types are made for each column: the
   * constants of {@link DataType} would load the classes of all flat types.
   */
  private ColumnBuilderImpl create(Field field) {
    memory.checkOpen();
    return Builders.of(memory, field, Math.max(rows, 0));
  }

  /** Adds a column with its values. If appending them threw, the batch keeps its former columns (OWN-15). */
  private BatchBuilder added(ColumnBuilderImpl column) {
    columns.add(column);
    return this;
  }

  @Override
  public BatchBuilder bool(String name, boolean[] values) {
    ColumnBuilderImpl column = create(Field.of(name, new BoolType()));
    column.appendAll(values);
    return added(column);
  }

  @Override
  public BatchBuilder bool(String name, List<? extends @Nullable Boolean> values) {
    return each(name, DataType.BOOL, values, (column, value) -> column.append((boolean) value));
  }

  @Override
  public BatchBuilder int8(String name, byte[] values) {
    ColumnBuilderImpl column = create(Field.of(name, new IntType(8, true)));
    column.appendAll(values);
    return added(column);
  }

  @Override
  public BatchBuilder int8(String name, List<? extends @Nullable Byte> values) {
    return each(name, DataType.INT8, values, (column, value) -> column.append((long) value));
  }

  @Override
  public BatchBuilder int16(String name, short[] values) {
    ColumnBuilderImpl column = create(Field.of(name, new IntType(16, true)));
    column.appendAll(values);
    return added(column);
  }

  @Override
  public BatchBuilder int16(String name, List<? extends @Nullable Short> values) {
    return each(name, DataType.INT16, values, (column, value) -> column.append((long) value));
  }

  @Override
  public BatchBuilder int32(String name, int[] values) {
    ColumnBuilderImpl column = create(Field.of(name, new IntType(32, true)));
    column.appendAll(values);
    return added(column);
  }

  @Override
  public BatchBuilder int32(String name, List<? extends @Nullable Integer> values) {
    return each(name, DataType.INT32, values, (column, value) -> column.append((long) value));
  }

  @Override
  public BatchBuilder int64(String name, long[] values) {
    ColumnBuilderImpl column = create(Field.of(name, new IntType(64, true)));
    column.appendAll(values);
    return added(column);
  }

  @Override
  public BatchBuilder int64(String name, List<? extends @Nullable Long> values) {
    return each(name, DataType.INT64, values, (column, value) -> column.append((long) value));
  }

  @Override
  public BatchBuilder float32(String name, float[] values) {
    ColumnBuilderImpl column = create(Field.of(name, new FloatType(32)));
    column.appendAll(values);
    return added(column);
  }

  @Override
  public BatchBuilder float32(String name, List<? extends @Nullable Float> values) {
    return each(name, DataType.FLOAT32, values, (column, value) -> column.append((double) value));
  }

  @Override
  public BatchBuilder float64(String name, double[] values) {
    ColumnBuilderImpl column = create(Field.of(name, new FloatType(64)));
    column.appendAll(values);
    return added(column);
  }

  @Override
  public BatchBuilder float64(String name, List<? extends @Nullable Double> values) {
    return each(name, DataType.FLOAT64, values, (column, value) -> column.append((double) value));
  }

  @Override
  public BatchBuilder decimal128(String name, int precision, int scale, List<? extends @Nullable BigDecimal> values) {
    return each(name, DataType.decimal128(precision, scale), values, ColumnBuilder::append);
  }

  @Override
  public BatchBuilder utf8(String name, List<? extends @Nullable String> values) {
    Objects.requireNonNull(values, "values");
    ColumnBuilderImpl column = create(Field.of(name, new Utf8Type()));
    for (String value : values) { // without the lambda of the other types, because many programs start with a text
      if (value == null) {
        column.appendNull();
      } else {
        column.append(value);
      }
    }
    return added(column);
  }

  @Override
  public BatchBuilder binary(String name, List<byte @Nullable []> values) {
    return each(name, DataType.BINARY, values, ColumnBuilder::append);
  }

  @Override
  public BatchBuilder date32(String name, List<? extends @Nullable LocalDate> values) {
    return each(name, DataType.DATE32, values, ColumnBuilder::append);
  }

  @Override
  public BatchBuilder time64(String name, List<? extends @Nullable LocalTime> values) {
    return each(name, DataType.time(ArrowTimeUnit.NANOSECOND), values, ColumnBuilder::append);
  }

  @Override
  public BatchBuilder timestamp(String name, List<? extends @Nullable Instant> values) {
    return each(name, DataType.timestamp(ArrowTimeUnit.NANOSECOND, "UTC"), values, ColumnBuilder::append);
  }

  @Override
  public BatchBuilder localTimestamp(String name, List<? extends @Nullable LocalDateTime> values) {
    return each(name, DataType.timestamp(ArrowTimeUnit.NANOSECOND, null), values, ColumnBuilder::append);
  }

  @Override
  public BatchBuilder duration(String name, List<? extends @Nullable Duration> values) {
    return each(name, DataType.duration(ArrowTimeUnit.NANOSECOND), values, ColumnBuilder::append);
  }

  @Override
  public BatchBuilder uuid(String name, List<? extends @Nullable UUID> values) {
    return each(Field.uuid(name), values, ColumnBuilder::append);
  }

  private <T> BatchBuilder each(String name, DataType type, List<? extends @Nullable T> values,
      BiConsumer<ColumnBuilder, T> append) {
    return each(Field.of(name, type), values, append);
  }

  /** Adds a column with the values of a list; a null in the list becomes a null in the column. */
  private <T> BatchBuilder each(Field field, List<? extends @Nullable T> values, BiConsumer<ColumnBuilder, T> append) {
    Objects.requireNonNull(values, "values");
    return add(field, column -> {
      for (T value : values) {
        if (value == null) {
          column.appendNull();
        } else {
          append.accept(column, value);
        }
      }
    });
  }

  /** Adds a column with its values. If {@code values} throws, the batch keeps its former columns (OWN-15). */
  public BatchBuilder add(Field field, Consumer<ColumnBuilder> values) {
    ColumnBuilderImpl column = column(field);
    try {
      values.accept(column);
      return this;
    } catch (Throwable t) {
      columns.remove(column);
      throw t;
    }
  }

  @Override
  public RecordBatch build() {
    memory.checkOpen();
    long count = rowCount();
    List<Field> fields = new ArrayList<>();
    List<ArrayData> data = new ArrayList<>();
    for (ColumnBuilderImpl column : columns) {
      if (column.length() != count) {
        String other = rows >= 0 ? "the batch has " + count + " rows"
            : "column \"" + columns.getFirst().field().name() + "\" has " + count;
        throw new IllegalStateException(
            "column \"" + column.field().name() + "\" has " + column.length() + " values, but " + other);
      }
      column.checkComplete();
      fields.add(column.field());
      data.add(column.finish());
    }
    List<@Nullable DeviceBuffer> noValidity = new ArrayList<>();
    noValidity.add(null);
    RecordBatch batch = RecordBatchImpl.unwrap(ArrayAssembly.of(Schema.of(fields, metadata).asField(),
        ArrayData.of(count, 0, noValidity, data), writable.device()));
    memory.close("was built"); // a column builder that the caller kept must not write into the array
    if (writable == target) return batch;
    try (batch) {
      return batch.copyTo(target, target.device().defaultStream());
    }
  }

  @Override
  public void close() {
    memory.close();
  }
}
