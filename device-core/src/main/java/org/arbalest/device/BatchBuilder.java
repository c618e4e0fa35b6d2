package org.arbalest.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Builds a record batch, column by column, in memory that the CPU can write. Made by {@link Device#batchBuilder} or {@link
 * MemoryManager#batchBuilder}; where the CPU cannot write, the batch is copied there when it is complete.
 *
 * <p>{@link #build} hands the memory on to the array; {@link #close} frees what was not handed on, so that a failure in between leaves
 * nothing allocated. Use it with try-with-resources. Not for several threads at once.
 */
public final class BatchBuilder implements AutoCloseable {
  private final MemoryManager target;
  private final MemoryManager writable;
  private final BuildMemory memory;
  private final int rows;
  private final List<ColumnBuilder> columns = new ArrayList<>();
  private Metadata metadata = Metadata.empty();

  BatchBuilder(MemoryManager target, int rows) {
    if (rows < 0) throw new IllegalArgumentException("the number of rows is not negative, but " + rows + " was given");
    this.target = target;
    this.writable = target.isCpuAccessible() ? target : target.device().hostMemory().orElseGet(() -> Devices.cpu().memory());
    this.memory = new BuildMemory(writable);
    this.rows = rows;
  }

  /** The number of rows that every column must have. */
  public int rows() {
    return rows;
  }

  /** Sets the metadata of the batch's schema. */
  public BatchBuilder metadata(Metadata newMetadata) {
    metadata = Objects.requireNonNull(newMetadata, "newMetadata");
    return this;
  }

  /**
   * Starts a column, to which exactly {@link #rows} values must be appended. It belongs to this builder.
   *
   * @throws UnsupportedOperationException if arrays of the field's type cannot be built yet
   */
  public ColumnBuilder column(Field field) {
    memory.checkOpen();
    ColumnBuilder column = ColumnBuilder.of(memory, field, rows);
    columns.add(column);
    return column;
  }

  /** A column of booleans. */
  public BatchBuilder bool(String name, boolean[] values) {
    return add(name, DataTypes.BOOL, column -> column.appendAll(values));
  }

  /** A column of 32-bit integers. */
  public BatchBuilder int32(String name, int[] values) {
    return add(name, DataTypes.INT32, column -> column.appendAll(values));
  }

  /** A column of 64-bit integers. */
  public BatchBuilder int64(String name, long[] values) {
    return add(name, DataTypes.INT64, column -> column.appendAll(values));
  }

  /** A column of 32-bit floats. */
  public BatchBuilder float32(String name, float[] values) {
    return add(name, DataTypes.FLOAT32, column -> column.appendAll(values));
  }

  /** A column of 64-bit floats. */
  public BatchBuilder float64(String name, double[] values) {
    return add(name, DataTypes.FLOAT64, column -> column.appendAll(values));
  }

  /** A column of text; elements may be null. */
  public BatchBuilder utf8(String name, List<? extends @Nullable String> values) {
    return add(name, DataTypes.UTF8, column -> {
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
    ColumnBuilder column = column(Field.of(name, type));
    try {
      values.accept(column);
      return this;
    } catch (Throwable t) {
      columns.remove(column);
      throw t;
    }
  }

  /**
   * The batch, which the caller must close; this builder is spent. If it had to be copied, its event tells when it is there.
   *
   * @throws IllegalStateException if a column does not have as many values as the batch has rows
   */
  public DeviceArray build() {
    memory.checkOpen();
    List<Field> fields = new ArrayList<>();
    List<ArrayData> data = new ArrayList<>();
    for (ColumnBuilder column : columns) {
      if (column.length() != rows) {
        throw new IllegalStateException(
            "column \"" + column.field().name() + "\" has " + column.length() + " values, but the batch has " + rows + " rows");
      }
      fields.add(column.field());
      data.add(column.finish());
    }
    List<@Nullable DeviceBuffer> noValidity = new ArrayList<>();
    noValidity.add(null);
    DeviceArray batch = DeviceArray.of(Schema.of(fields, metadata), ArrayData.of(rows, 0, noValidity, data), writable.device());
    close(); // a column's builder that somebody kept must not write into the array
    if (writable == target) return batch;
    try (batch) {
      return batch.copyTo(target, target.device().defaultStream());
    }
  }

  /** Frees what was not handed on to an array. */
  @Override
  public void close() {
    memory.close();
  }
}
