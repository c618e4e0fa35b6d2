package org.arbalest.device;

import java.util.ArrayList;
import java.util.List;
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
    metadata = newMetadata;
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
    column(Field.of(name, DataTypes.BOOL)).appendAll(values);
    return this;
  }

  /** A column of 32-bit integers. */
  public BatchBuilder int32(String name, int[] values) {
    column(Field.of(name, DataTypes.INT32)).appendAll(values);
    return this;
  }

  /** A column of 64-bit integers. */
  public BatchBuilder int64(String name, long[] values) {
    column(Field.of(name, DataTypes.INT64)).appendAll(values);
    return this;
  }

  /** A column of 32-bit floats. */
  public BatchBuilder float32(String name, float[] values) {
    column(Field.of(name, DataTypes.FLOAT32)).appendAll(values);
    return this;
  }

  /** A column of 64-bit floats. */
  public BatchBuilder float64(String name, double[] values) {
    column(Field.of(name, DataTypes.FLOAT64)).appendAll(values);
    return this;
  }

  /** A column of text; elements may be null. */
  public BatchBuilder utf8(String name, List<? extends @Nullable String> values) {
    ColumnBuilder column = column(Field.of(name, DataTypes.UTF8));
    for (String value : values) {
      if (value == null) {
        column.appendNull();
      } else {
        column.append(value);
      }
    }
    return this;
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
