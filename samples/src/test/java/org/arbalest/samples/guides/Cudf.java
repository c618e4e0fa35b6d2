// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides;

import java.util.Optional;
import java.util.function.LongFunction;

/** The public methods of cuDF's Java classes that the programs for cuDF call, with what they do to references. */
interface Cudf {
  /** A type of columns. */
  enum DType {
    INT16,
    INT64,
    STRING
  }

  /** Memory on a GPU. */
  interface BaseDeviceMemoryBuffer {
    long getAddress();

    long getLength();
  }

  /** Memory on a GPU that closing frees, such as {@code Rmm.alloc} returns. A slice keeps the whole. */
  interface DeviceMemoryBuffer extends BaseDeviceMemoryBuffer, AutoCloseable {
    DeviceMemoryBuffer slice(long offset, long length);

    @Override
    void close();
  }

  /** RMM's current memory resource. */
  final class Rmm {
    static volatile LongFunction<DeviceMemoryBuffer> resource = bytes -> {
      throw new IllegalStateException("a test sets the resource");
    };

    private Rmm() {}

    static DeviceMemoryBuffer alloc(long bytes) {
      return resource.apply(bytes);
    }
  }

  /** A column, which counts its references and owns its buffers. A buffer is null if it has no bytes. */
  class ColumnVector implements AutoCloseable {
    final DType type;
    private final long rows;
    private final long nulls;
    private final DeviceMemoryBuffer data;
    private final DeviceMemoryBuffer valid;
    private final DeviceMemoryBuffer offsets;
    private int references = 1;

    ColumnVector(DType type, long rows, Optional<Long> nulls, DeviceMemoryBuffer data, DeviceMemoryBuffer valid,
        DeviceMemoryBuffer offsets) {
      this.type = type;
      this.rows = rows;
      this.nulls = nulls.orElseThrow();
      this.data = data;
      this.valid = valid;
      this.offsets = offsets;
    }

    BaseDeviceMemoryBuffer getData() {
      return data;
    }

    BaseDeviceMemoryBuffer getValid() {
      return valid;
    }

    /** The length is 4 bytes for each offset, also if offsets have 8: {@code getNativeOffsetsLength} in cuDF. */
    BaseDeviceMemoryBuffer getOffsets() {
      return offsets;
    }

    /** The size of all buffers, with the true size of the offsets: {@code calc_device_memory_size} in cuDF. */
    long getDeviceMemorySize() {
      long size = 0;
      for (DeviceMemoryBuffer each : new DeviceMemoryBuffer[] {data, valid, offsets}) {
        if (each != null) size += each.getLength();
      }
      return size;
    }

    long getRowCount() {
      return rows;
    }

    long getNullCount() {
      return nulls;
    }

    synchronized int references() {
      return references;
    }

    synchronized ColumnVector incRefCount() {
      if (references == 0) throw new IllegalStateException("the column is closed");
      references++;
      return this;
    }

    @Override
    public synchronized void close() {
      if (references == 0) throw new IllegalStateException("the column was closed too often");
      if (--references > 0) return;
      for (DeviceMemoryBuffer each : new DeviceMemoryBuffer[] {data, valid, offsets}) if (each != null) each.close();
    }
  }

  /** Columns of the same length. It has a reference of its own to each. */
  final class Table implements AutoCloseable {
    private final ColumnVector[] columns;

    Table(ColumnVector... columns) {
      this.columns = columns.clone();
      for (ColumnVector column : columns) column.incRefCount();
    }

    int getNumberOfColumns() {
      return columns.length;
    }

    /** Returns a column without a new reference. */
    ColumnVector getColumn(int index) {
      return columns[index];
    }

    @Override
    public void close() {
      for (ColumnVector column : columns) column.close();
    }
  }
}
