// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.guides;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.arbalest.device.ArrayData;
import org.arbalest.device.DeviceArray;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.DeviceStream;
import org.arbalest.device.MemoryAllocator;
import org.arbalest.device.MemoryManager;
import org.arbalest.device.columns.Column;
import org.arbalest.device.types.DataType;
import org.arbalest.device.types.Field;
import org.arbalest.samples.guides.Cudf.BaseDeviceMemoryBuffer;
import org.arbalest.samples.guides.Cudf.ColumnVector;
import org.arbalest.samples.guides.Cudf.DeviceMemoryBuffer;
import org.arbalest.samples.guides.Cudf.Rmm;

/** Columns of cuDF by address, and memory of RMM. */
final class CudfJava {
  private CudfJava() {}

  /** Returns an array in the column's memory. It keeps the column until its last reference is closed. */
  static DeviceArray wrap(ColumnVector column, Field field, DeviceStream stream) {
    DeviceBuffer whole = DeviceBuffer.wrap(stream.device(), 0, 0, column.incRefCount()::close);
    try (DeviceBuffer owner = DeviceBuffer.wrap(stream.device(), 0, 0, () -> release(whole, stream));
        DeviceBuffer valid = column.getNullCount() == 0 ? null : wrap(column.getValid(), owner);
        DeviceBuffer offsets = wrap(column.getOffsets(), owner);
        DeviceBuffer data = wrap(column.getData(), owner)) {
      List<DeviceBuffer> buffers = new ArrayList<>();
      buffers.add(valid);
      if (field.type().equals(DataType.UTF8)) buffers.add(offsets);
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
    if (memory == null) return DeviceBuffer.wrap(owner.device(), 0, 0, owner);
    return DeviceBuffer.wrap(owner.device(), memory.getAddress(), memory.getLength(), owner);
  }

  /** The arguments of a cuDF column, whose rows begin at the addresses. An address is 0 if there is no such buffer. */
  record Addresses(long rows, long nulls, long valid, long offsets, long data) {}

  /** Returns the addresses of a column of numbers, bool8 or text, valid while the array is open. */
  static Addresses addresses(DeviceArray array) {
    Column column = array.asColumn();
    if (column.offset() != 0) throw new IllegalArgumentException("cuDF takes no offset: call compact()");
    if (column.field().type().equals(DataType.BOOL)) throw new IllegalArgumentException("cuDF takes no bits");
    boolean isText = column.field().type().equals(DataType.UTF8);
    return new Addresses(array.length(), column.nullCount(), column.bufferAddress(0),
        isText ? column.bufferAddress(1) : 0, column.bufferAddress(isText ? 2 : 1));
  }

  /** Allocates by {@code Rmm.alloc}, in the order of the stream in which that works. */
  static final class RmmAllocator implements MemoryAllocator {
    private final Map<Long, DeviceMemoryBuffer> blocks = new ConcurrentHashMap<>();

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
  }

  /** Returns RMM's memory. The stream is that of cuDF. */
  static MemoryManager rmm(DeviceStream stream) {
    return MemoryManager.of(stream, new RmmAllocator());
  }
}
