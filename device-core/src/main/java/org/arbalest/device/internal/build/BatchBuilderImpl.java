package org.arbalest.device.internal.build;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.arbalest.device.ArrayData;
import org.arbalest.device.BatchBuilder;
import org.arbalest.device.ColumnBuilder;
import org.arbalest.device.DataType;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.Field;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.Metadata;
import org.arbalest.device.Schema;
import org.arbalest.device.internal.device.DeviceRegistry;
import org.jspecify.annotations.Nullable;

/** Columns that are built in one memory, and moved into a batch together. See {@link BatchBuilder}. */
public final class BatchBuilderImpl implements BatchBuilder {
  private final MemoryManager target;
  private final MemoryManager writable;
  private final BuildMemory memory;

  /** The number of rows, or -1 if the columns say it. */
  private final int rows;

  private final List<ColumnBuilderImpl> columns = new ArrayList<>();
  private Metadata metadata = Metadata.empty();

  public BatchBuilderImpl(MemoryManager target, int rows) {
    if (rows < 0) throw new IllegalArgumentException("the number of rows is not negative, but " + rows + " was given");
    this(rows, target);
  }

  /** Of as many rows as the columns turn out to have. */
  public BatchBuilderImpl(MemoryManager target) {
    this(-1, target);
  }

  private BatchBuilderImpl(int rows, MemoryManager target) {
    this.target = target;
    this.writable = target.isCpuAccessible() ? target : target.device().hostMemory().orElseGet(() -> DeviceRegistry.cpu().memory());
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
    memory.checkOpen();
    ColumnBuilderImpl column = Builders.of(memory, field, Math.max(rows, 0));
    columns.add(column);
    return column;
  }

  @Override
  public BatchBuilder bool(String name, boolean[] values) {
    return add(name, DataType.BOOL, column -> column.appendAll(values));
  }

  @Override
  public BatchBuilder int32(String name, int[] values) {
    return add(name, DataType.INT32, column -> column.appendAll(values));
  }

  @Override
  public BatchBuilder int64(String name, long[] values) {
    return add(name, DataType.INT64, column -> column.appendAll(values));
  }

  @Override
  public BatchBuilder float32(String name, float[] values) {
    return add(name, DataType.FLOAT32, column -> column.appendAll(values));
  }

  @Override
  public BatchBuilder float64(String name, double[] values) {
    return add(name, DataType.FLOAT64, column -> column.appendAll(values));
  }

  @Override
  public BatchBuilder utf8(String name, List<? extends @Nullable String> values) {
    return add(name, DataType.UTF8, column -> {
      for (String value : values) {
        if (value == null) {
          column.appendNull();
        } else {
          column.append(value);
        }
      }
    });
  }

  /** Adds a column with its values or, if one of them cannot be had or appended, none (OWN-15). */
  private BatchBuilder add(String name, DataType type, Consumer<ColumnBuilder> values) {
    ColumnBuilderImpl column = column(Field.of(name, type));
    try {
      values.accept(column);
      return this;
    } catch (Throwable t) {
      columns.remove(column);
      throw t;
    }
  }

  @Override
  public DeviceArray build() {
    memory.checkOpen();
    long count = rowCount();
    List<Field> fields = new ArrayList<>();
    List<ArrayData> data = new ArrayList<>();
    for (ColumnBuilderImpl column : columns) {
      if (column.length() != count) {
        String other = rows >= 0 ? "the batch has " + count + " rows" : "column \"" + columns.getFirst().field().name() + "\" has " + count;
        throw new IllegalStateException("column \"" + column.field().name() + "\" has " + column.length() + " values, but " + other);
      }
      column.checkComplete();
      fields.add(column.field());
      data.add(column.finish());
    }
    List<@Nullable DeviceBuffer> noValidity = new ArrayList<>();
    noValidity.add(null);
    DeviceArray batch = DeviceArray.of(Schema.of(fields, metadata), ArrayData.of(count, 0, noValidity, data), writable.device());
    close(); // a column's builder that somebody kept must not write into the array
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
