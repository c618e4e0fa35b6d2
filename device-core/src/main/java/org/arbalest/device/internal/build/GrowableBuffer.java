package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.internal.memory.NativeHeap;

/** Bytes in CPU-accessible memory that are appended to. The builder's {@link BuildMemory} frees it. */
final class GrowableBuffer {
  private static final long SMALLEST = 64;

  private final BuildMemory memory;
  private DeviceBuffer buffer;
  private long size;

  /** With room for some bytes, at least for one, so that no exported pointer is NULL (ARR-08). */
  GrowableBuffer(BuildMemory memory, long bytes) {
    this.memory = memory;
    this.buffer = memory.allocate(Math.max(bytes, SMALLEST));
  }

  long size() {
    return size;
  }

  /** Makes room for more bytes, counts them as written, and returns where they go. */
  long extend(long bytes) {
    long at = reserve(bytes);
    size += bytes;
    return at;
  }

  /** Makes room for more bytes, and returns where they would go. */
  private long reserve(long bytes) {
    long needed = Math.addExact(size, bytes);
    if (needed > buffer.size()) grow(Math.max(needed, 2 * buffer.size()));
    return address() + size;
  }

  /** Extends by zeroes. */
  void extendWithZeroes(long bytes) {
    NativeHeap.fill(extend(bytes), bytes, (byte) 0);
  }

  void putByte(byte value) {
    NativeHeap.putByte(extend(1), value);
  }

  void putShort(short value) {
    NativeHeap.putShort(extend(2), value);
  }

  void putInt(int value) {
    NativeHeap.putInt(extend(4), value);
  }

  void putLong(long value) {
    NativeHeap.putLong(extend(8), value);
  }

  void putBytes(byte[] bytes) {
    NativeHeap.putBytes(extend(bytes.length), bytes);
  }

  /** Appends what is in some memory in one copy; if that cannot be read, nothing (OWN-15). */
  void putAll(MemorySegment values) {
    long bytes = values.byteSize();
    MemorySegment.copy(values, 0, NativeHeap.segment(reserve(bytes), bytes), 0, bytes);
    size += bytes;
  }

  /** The address of the first byte; changes when the buffer grows. Refuses once the memory belongs to an array, which does not change (OWN-13). */
  long address() {
    memory.checkOpen();
    return buffer.address();
  }

  private void grow(long bytes) {
    DeviceBuffer larger = memory.allocate(bytes);
    NativeHeap.copy(address(), larger.address(), size);
    buffer.close();
    buffer = larger;
  }

  /** The memory, to be moved into an array; what was not written is zeroed, since a peer gets to see it. */
  DeviceBuffer take() {
    NativeHeap.fill(address() + size, buffer.size() - size, (byte) 0);
    return buffer;
  }
}
