// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.abi;

import static org.arbalest.device.abi.Memory.int32;
import static org.arbalest.device.abi.Memory.int64;
import static org.arbalest.device.abi.Memory.byteOffset;
import static org.arbalest.device.abi.Memory.padding;
import static org.arbalest.device.abi.Memory.pointer;
import static org.arbalest.device.abi.Memory.struct;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;

/** {@code struct ArrowDeviceArray}: an {@code ArrowArray}, which is its first member, with the device its buffers are on. */
public final class ArrowDeviceArrayStruct {
  /** The struct as the C compiler lays it out. */
  public static final StructLayout LAYOUT =
      struct(
          "ArrowDeviceArray",
          ArrowArrayStruct.LAYOUT.withName("array"),
          int64("device_id"),
          int32("device_type"),
          padding(),
          pointer("sync_event"),
          MemoryLayout.sequenceLayout(3, ValueLayout.JAVA_LONG).withName("reserved"));

  /** Its size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final long DEVICE_ID = byteOffset(LAYOUT, "device_id");
  private static final long DEVICE_TYPE = byteOffset(LAYOUT, "device_type");
  private static final long SYNC_EVENT = byteOffset(LAYOUT, "sync_event");
  private static final long RESERVED = byteOffset(LAYOUT, "reserved");

  private ArrowDeviceArrayStruct() {}

  /** Memory for one: zeroed, and so a released struct, for an export of ours or for C to write. It is the arena's, and must outlast the struct. */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** Which device of its type; -1 where there is no such notion. */
  public static long deviceId(long array) {
    return Memory.getLong(array + DEVICE_ID);
  }

  /** Writes {@code device_id}. */
  public static void setDeviceId(long array, long value) {
    Memory.putLong(array + DEVICE_ID, value);
  }

  /** The {@code ArrowDeviceType} code. */
  public static int deviceType(long array) {
    return Memory.getInt(array + DEVICE_TYPE);
  }

  /** Writes {@code device_type}. */
  public static void setDeviceType(long array, int value) {
    Memory.putInt(array + DEVICE_TYPE, value);
  }

  /** A pointer <em>to</em> the device's event handle to wait for before any access, or NULL. */
  public static long syncEvent(long array) {
    return Memory.getLong(array + SYNC_EVENT);
  }

  /** Writes {@code sync_event}. */
  public static void setSyncEvent(long array, long value) {
    Memory.putLong(array + SYNC_EVENT, value);
  }

  /** Moves the struct: a bitwise copy, then {@code array.release = NULL} at the source, without a call (OWN-05). */
  public static void move(long from, long to) {
    Memory.copy(from, to, SIZE);
    ArrowArrayStruct.setRelease(from, 0);
  }

  /** Zeroes the reserved bytes and the padding after {@code device_type} (DEV-07). */
  public static void clearReserved(long array) {
    Memory.putInt(array + DEVICE_TYPE + 4, 0);
    Memory.putLong(array + RESERVED, 0);
    Memory.putLong(array + RESERVED + 8, 0);
    Memory.putLong(array + RESERVED + 16, 0);
  }
}
