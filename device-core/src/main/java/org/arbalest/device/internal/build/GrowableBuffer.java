// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Utf8Scan;

/** Bytes in CPU-accessible memory that are appended to. The builder's {@link BuildMemory} frees it. */
final class GrowableBuffer {
  private static final long SMALLEST = 64;

  private final BuildMemory memory;
  private DeviceBuffer buffer;

  /**
   * Of the buffer. What is written goes by these alone: once the memory is gone, there is no room, so that nothing is
   * written there.
   */
  private long address;

  private long next;
  private long end;

  /** Up to here there is room for one more word. */
  private long lastWord;

  /** With room for some bytes, at least for one, so that no exported pointer is NULL (ARR-08). */
  GrowableBuffer(BuildMemory memory, long bytes) {
    this.memory = memory;
    this.buffer = memory.allocate(rounded(bytes));
    use(buffer, 0);
    memory.add(this);
  }

  /** To whole words, of which a bitmap is made. */
  private static long rounded(long bytes) {
    return Math.max(Math.addExact(bytes, SMALLEST - 1) & -SMALLEST, SMALLEST);
  }

  private void use(DeviceBuffer piece, long size) {
    buffer = piece;
    address = piece.address();
    next = address + size;
    end = address + piece.size();
    lastWord = end - Long.BYTES;
  }

  long size() {
    return next - address;
  }

  /** Makes room for more bytes, counts them as written, and returns where they go. */
  long extend(long bytes) {
    long at = reserve(bytes);
    next = at + bytes;
    return at;
  }

  /** Makes room for more bytes, and returns where they would go. */
  private long reserve(long bytes) {
    if (end - next < bytes) grow(bytes);
    return next;
  }

  /** The same as {@link #extend}, for a word, and no longer than what C2 inlines wherever it is called. */
  private long extend() {
    if (next > lastWord) grow(Long.BYTES);
    long at = next;
    next = at + Long.BYTES;
    return at;
  }

  /** Extends by zeroes. */
  void extendWithZeroes(long bytes) {
    NativeHeap.fill(extend(bytes), bytes, (byte) 0);
  }

  void putByte(byte value) {
    NativeHeap.putByte(extend(Byte.BYTES), value);
  }

  void putShort(short value) {
    NativeHeap.putShort(extend(Short.BYTES), value);
  }

  void putInt(int value) {
    NativeHeap.putInt(extend(Integer.BYTES), value);
  }

  void putLong(long value) {
    NativeHeap.putLong(extend(), value);
  }

  void putBytes(byte[] bytes) {
    NativeHeap.putBytes(extend(bytes.length), bytes);
  }

  /** Appends what is in some memory; if that cannot be read, nothing (OWN-15). */
  void putAll(MemorySegment values) {
    long bytes = values.byteSize();
    NativeHeap.copy(values, reserve(bytes));
    next += bytes;
  }

  /** Likewise, if it is text. */
  boolean putText(MemorySegment values) {
    long size = size();
    putAll(values);
    if (Utf8Scan.isValid(address + size, values.byteSize())) return true; // what is here nobody changes any more
    truncate(size);
    return false;
  }

  /** Forgets what was written behind some bytes. */
  void truncate(long bytes) {
    next = address + bytes;
  }

  /**
   * The address of the first byte; changes when the buffer grows. Refuses once the memory belongs to an array, which
   * does not change (OWN-13).
   */
  long address() {
    memory.checkOpen();
    return address;
  }

  private void grow(long bytes) {
    memory.checkOpen();
    long size = size();
    DeviceBuffer larger = memory.allocate(rounded(Math.max(Math.addExact(size, bytes), 2 * buffer.size())));
    NativeHeap.copy(address, larger.address(), size);
    buffer.close();
    use(larger, size);
  }

  /** Only what was written of the memory, to be moved into an array. */
  DeviceBuffer takeWritten() {
    memory.checkOpen();
    return memory.part(buffer, size());
  }

  /** The memory, to be moved into an array; what was not written is zeroed, since a peer gets to see it. */
  DeviceBuffer take() {
    memory.checkOpen();
    NativeHeap.fill(next, end - next, (byte) 0);
    return buffer;
  }

  /** Frees the memory, and says which it was. */
  DeviceBuffer free() {
    DeviceBuffer freed = buffer;
    freed.close();
    forget();
    return freed;
  }

  /** The memory is gone: it was freed, or belongs to an array. */
  void forget() {
    address = 0;
    next = 0;
    end = -1; // not even for no bytes
    lastWord = -1;
  }
}
