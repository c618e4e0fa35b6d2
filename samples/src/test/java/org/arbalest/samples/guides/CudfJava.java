// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.RecordBatch;
import org.arbalest.device.columns.Column;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.device.types.Schema;
import org.arbalest.samples.guides.Cudf.BaseDeviceMemoryBuffer;
import org.arbalest.samples.guides.Cudf.ColumnVector;
import org.arbalest.samples.guides.Cudf.DType;
import org.arbalest.samples.guides.Cudf.DeviceMemoryBuffer;
import org.arbalest.samples.guides.Cudf.Rmm;
import org.arbalest.samples.guides.Cudf.Table;

/** Columns of cuDF by address, and memory of RMM. */
final class CudfJava {
  private CudfJava() {}

  /** Returns an array in the column's memory. It keeps the column until its last reference is closed. */
  static DeviceArray wrap(ColumnVector column, Field field, DeviceStream stream) {
    DeviceBuffer whole = DeviceBuffer.wrap(stream.device(), 0, 0, column.incRefCount()::close);
    try (DeviceBuffer owner = DeviceBuffer.wrap(stream.device(), 0, 0, () -> release(whole, stream));
        DeviceBuffer valid = column.getNullCount() == 0 ? null : wrap(column.getValid(), owner);
        DeviceBuffer offsets = wrap(address(column.getOffsets()), offsetBytes(column, field), owner);
        DeviceBuffer data = wrap(column.getData(), owner)) {
      List<DeviceBuffer> buffers = new ArrayList<>();
      buffers.add(valid);
      if (isText(field)) buffers.add(offsets);
      buffers.add(data);
      return DeviceArray.of(field, ArrayData.of(column.getRowCount(), column.getNullCount(), buffers), stream);
    }
  }

  /** Closes a column after the work that is in cuDF's stream now, which may still use it. */
  static void release(DeviceBuffer column, DeviceStream stream) {
    stream.keepAlive(column);
    column.close();
  }

  /** cuDF returns null for memory without bytes. */
  static DeviceBuffer wrap(BaseDeviceMemoryBuffer memory, DeviceBuffer owner) {
    return wrap(address(memory), length(memory), owner);
  }

  static DeviceBuffer wrap(long address, long bytes, DeviceBuffer owner) {
    return DeviceBuffer.wrap(owner.device(), address, bytes, owner);
  }

  static long address(BaseDeviceMemoryBuffer memory) {
    return memory == null ? 0 : memory.getAddress();
  }

  static long length(BaseDeviceMemoryBuffer memory) {
    return memory == null ? 0 : memory.getLength();
  }

  static boolean isText(Field field) {
    return field.type().equals(DataType.UTF8) || field.type().equals(DataType.LARGE_UTF8);
  }

  /** Returns the size of the offsets. {@code getOffsets} says 4 bytes for each, also if they have 8. */
  static long offsetBytes(ColumnVector column, Field field) {
    if (!isText(field) || column.getRowCount() == 0) return 0;
    long bytes = column.getDeviceMemorySize() - length(column.getValid()) - length(column.getData());
    long width = field.type().equals(DataType.UTF8) ? 4 : 8;
    if (bytes == width * (column.getRowCount() + 1)) return bytes;
    throw new IllegalArgumentException(field + ": cuDF's column has " + bytes + " bytes of offsets for "
        + column.getRowCount() + " rows; utf8 has 4 for each, and large_utf8 has 8");
  }

  /** Returns a record batch in the memory of a table, which may be closed then. */
  static RecordBatch wrap(Table table, Schema schema, DeviceStream stream) {
    if (table.getNumberOfColumns() != schema.fields().size()) {
      throw new IllegalArgumentException(table.getNumberOfColumns() + " columns for " + schema);
    }
    List<DeviceArray> columns = new ArrayList<>();
    try {
      for (int i = 0; i < table.getNumberOfColumns(); i++) {
        columns.add(wrap(table.getColumn(i), schema.fields().get(i), stream));
      }
      return RecordBatch.ofColumns(schema.fields().stream().map(Field::name).toList(), columns);
    } finally {
      columns.forEach(DeviceArray::close);
    }
  }

  /** The arguments of a cuDF column, whose rows begin at the addresses. An address is 0 if there is no such buffer. */
  record Addresses(long rows, long nulls, long valid, long offsets, long data) {}

  /** Returns the addresses of a column of numbers, bool8 or text, valid while the array is open. */
  static Addresses addresses(DeviceArray array) {
    Column column = array.asColumn();
    if (column.offset() != 0) throw new IllegalArgumentException("cuDF takes no offset: call compact()");
    DataType type = column.field().type();
    if (type.equals(DataType.BOOL)) throw new IllegalArgumentException("cuDF takes no bits");
    if (type.equals(DataType.LARGE_UTF8)) throw new IllegalArgumentException("cuDF takes offsets of 32 bits");
    boolean isText = type.equals(DataType.UTF8);
    return new Addresses(array.length(), column.nullCount(), column.bufferAddress(0),
        isText ? column.bufferAddress(1) : 0, column.bufferAddress(isText ? 2 : 1));
  }

  /** Allocates by {@code Rmm.alloc}, in the order of the stream in which that works. */
  static final class RmmAllocator implements MemoryAllocator {
    private final ConcurrentNavigableMap<Long, DeviceMemoryBuffer> blocks = new ConcurrentSkipListMap<>();

    @Override
    public boolean isCpuAccessible() {
      return false;
    }

    @Override
    public long alignment() {
      return 256;
    }

    @Override
    public long allocate(long bytes, long alignment) {
      DeviceMemoryBuffer block = Rmm.alloc(bytes);
      blocks.put(block.getAddress(), block);
      return block.getAddress();
    }

    @Override
    public void free(long address, long bytes) {
      blocks.remove(address).close();
    }

    /** Returns a part of a block, with a reference to the block of its own; null for no bytes. */
    DeviceMemoryBuffer slice(DeviceBuffer part) {
      if (part == null || part.size() == 0) return null;
      DeviceMemoryBuffer block = blocks.floorEntry(part.address()).getValue();
      return block.slice(part.address() - block.getAddress(), part.size());
    }
  }

  /** Returns a table with a copy of a record batch in RMM's memory. The stream is that of cuDF. */
  static Table table(RecordBatch batch, List<DType> types, RmmAllocator allocator, DeviceStream stream) {
    List<ColumnVector> columns = new ArrayList<>();
    try (RecordBatch counted = batch.countNulls(stream);
        RecordBatch copy = counted.copyTo(MemoryManager.of(stream, allocator), stream);
        ArrayData data = ArrayData.of(copy)) {
      if (types.size() != data.children().size()) {
        throw new IllegalArgumentException(types.size() + " types for " + data.children().size() + " columns");
      }
      for (int i = 0; i < types.size(); i++) {
        try (DeviceArray column = copy.retainChild(i)) {
          columns.add(column(column, types.get(i), allocator));
        }
      }
      return new Table(columns.toArray(ColumnVector[]::new));
    } finally {
      columns.forEach(ColumnVector::close);
    }
  }

  /** Returns a column that keeps its parts of RMM's memory. */
  private static ColumnVector column(DeviceArray array, DType type, RmmAllocator allocator) {
    Addresses checked = addresses(array);
    List<DeviceMemoryBuffer> parts = new ArrayList<>();
    try (ArrayData data = ArrayData.of(array)) {
      // validity, offsets of text, values
      for (DeviceBuffer buffer : data.buffers()) parts.add(allocator.slice(buffer));
      return new ColumnVector(type, checked.rows(), Optional.of(checked.nulls()), parts.getLast(), parts.getFirst(),
          parts.size() == 2 ? null : parts.get(1));
    } catch (Throwable t) {
      for (DeviceMemoryBuffer part : parts) if (part != null) part.close();
      throw t;
    }
  }
}
