// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.build;

import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceBuffer;
import org.arbalest.device.internal.memory.NativeHeap;
import org.arbalest.device.internal.memory.Utf8Scan;

/** A buffer in CPU-accessible memory to which bytes are appended. The builder's {@link BuildMemory} frees it. */
final class GrowableBuffer {
  private static final long SMALLEST = 64;

  private final BuildMemory memory;
  private DeviceBuffer buffer;

  /**
   * The address of the buffer. Writes use only this field and the next three. After the memory is closed they leave no
   * space, so nothing is written.
   */
  private long address;

  private long next;
  private long end;

  /** The last address at which one more 64-bit word fits. */
  private long lastWord;

  /**
   * Creates a buffer with capacity for some bytes. It allocates at least one byte, so that no exported pointer is NULL
   * (ARR-08).
   */
  GrowableBuffer(BuildMemory memory, long bytes) {
    this.memory = memory;
    this.buffer = memory.allocate(rounded(bytes));
    use(buffer, 0);
    memory.add(this);
  }

  /** Rounds up to whole words, because bitmaps are written word by word. */
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

  /** Reserves more bytes, counts them as written, and returns their address. */
  long extend(long bytes) {
    long at = reserve(bytes);
    next = at + bytes;
    return at;
  }

  /** Reserves more bytes and returns their address; does not count them as written. */
  private long reserve(long bytes) {
    if (end - next < bytes) grow(bytes);
    return next;
  }

  /** Extends by one word, like {@link #extend(long)}. The method is short enough that C2 inlines it at every call. */
  private long extend() {
    if (next > lastWord) grow(Long.BYTES);
    long at = next;
    next = at + Long.BYTES;
    return at;
  }

  /** Appends zero bytes. */
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

  /** Appends the content of a memory segment. If it cannot be read, appends nothing (OWN-15). */
  void putAll(MemorySegment values) {
    long bytes = values.byteSize();
    NativeHeap.copy(values, reserve(bytes));
    next += bytes;
  }

  /** Appends the content of a memory segment if it is valid UTF-8; otherwise returns false and appends nothing. */
  boolean putText(MemorySegment values) {
    long size = size();
    putAll(values);
    if (Utf8Scan.isValid(address + size, values.byteSize())) return true; // checks the copy, which cannot change
    truncate(size);
    return false;
  }

  /** Removes the bytes from offset {@code bytes} on. */
  void truncate(long bytes) {
    next = address + bytes;
  }

  /**
   * Returns the address of the first byte, which changes when the buffer grows. Throws if the memory belongs to an
   * array, which must not change (OWN-13).
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

  /** Returns only the written part of the memory, which moves into an array. */
  DeviceBuffer takeWritten() {
    memory.checkOpen();
    return memory.part(buffer, size());
  }

  /** Returns the memory, which moves into an array. Zeroes the unused end, because a consumer can read it. */
  DeviceBuffer take() {
    memory.checkOpen();
    NativeHeap.fill(next, end - next, (byte) 0);
    return buffer;
  }

  /** Frees the memory and returns the buffer that was freed. */
  DeviceBuffer free() {
    DeviceBuffer freed = buffer;
    freed.close();
    forget();
    return freed;
  }

  /** Records that the memory was freed or belongs to an array. */
  void forget() {
    address = 0;
    next = 0;
    end = -1; // rejects even an append of no bytes
    lastWord = -1;
  }
}
