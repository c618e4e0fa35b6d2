// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import org.arbalest.device.internal.access.NativeAccess;
import org.jspecify.annotations.Nullable;

/** Access to the whole address space as one segment, so that reading a field costs one load and no object. */
public final class Memory {
  /** Null without native access. Each access then throws. */
  private static final @Nullable MemorySegment ALL =
      NativeAccess.isEnabled() ? MemorySegment.NULL.reinterpret(Long.MAX_VALUE) : null;

  private static final ValueLayout.OfLong LONG = JAVA_LONG.withByteAlignment(1);
  private static final ValueLayout.OfInt INT = JAVA_INT.withByteAlignment(1);
  private static final ValueLayout.OfShort SHORT = JAVA_SHORT.withByteAlignment(1);

  private Memory() {}

  private static MemorySegment all() {
    MemorySegment all = ALL;
    if (all == null) throw NativeAccess.refusal();
    return all;
  }

  static long getLong(long address) {
    return all().get(LONG, address);
  }

  static void putLong(long address, long value) {
    all().set(LONG, address, value);
  }

  static int getInt(long address) {
    return all().get(INT, address);
  }

  static void putInt(long address, int value) {
    all().set(INT, address, value);
  }

  static int getUnsignedShort(long address) {
    return Short.toUnsignedInt(all().get(SHORT, address));
  }

  static void putShort(long address, int value) {
    all().set(SHORT, address, (short) value);
  }

  static int getUnsignedByte(long address) {
    return Byte.toUnsignedInt(all().get(JAVA_BYTE, address));
  }

  static void putByte(long address, int value) {
    all().set(JAVA_BYTE, address, (byte) value);
  }

  /** Copies {@code bytes} bytes between ranges that do not overlap. */
  static void copy(long from, long to, long bytes) {
    MemorySegment.copy(all(), from, all(), to, bytes);
  }

  /**
   * Allocates memory for a struct and fills it with zeros. The fill is necessary for an allocator that reuses memory.
   */
  public static MemorySegment allocate(SegmentAllocator allocator, StructLayout layout) {
    return allocator.allocate(layout).fill((byte) 0);
  }

  public static ValueLayout pointer(String name) {
    return ADDRESS.withName(name);
  }

  public static ValueLayout int64(String name) {
    return JAVA_LONG.withName(name);
  }

  public static ValueLayout int32(String name) {
    return JAVA_INT.withName(name);
  }

  public static ValueLayout uint16(String name) {
    return JAVA_SHORT.withName(name);
  }

  public static ValueLayout uint8(String name) {
    return JAVA_BYTE.withName(name);
  }

  public static MemoryLayout padding() {
    return MemoryLayout.paddingLayout(4);
  }

  public static StructLayout struct(String name, MemoryLayout... members) {
    return MemoryLayout.structLayout(members).withName(name);
  }

  public static long byteOffset(StructLayout layout, String member) {
    return layout.byteOffset(PathElement.groupElement(member));
  }
}
