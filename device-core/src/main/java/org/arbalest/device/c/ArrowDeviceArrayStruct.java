// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.arbalest.device.internal.abi.Memory.byteOffset;
import static org.arbalest.device.internal.abi.Memory.int32;
import static org.arbalest.device.internal.abi.Memory.int64;
import static org.arbalest.device.internal.abi.Memory.padding;
import static org.arbalest.device.internal.abi.Memory.pointer;
import static org.arbalest.device.internal.abi.Memory.struct;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import org.arbalest.device.internal.abi.Memory;

/**
 * {@code struct ArrowDeviceArray}: an {@code ArrowArray}, which is its first member, with the device its buffers are
 * on.
 */
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

  private static final long DEVICE_ID = byteOffset(LAYOUT, "device_id");
  private static final long DEVICE_TYPE = byteOffset(LAYOUT, "device_type");
  private static final long SYNC_EVENT = byteOffset(LAYOUT, "sync_event");

  private ArrowDeviceArrayStruct() {}

  /**
   * Memory for one: zeroed, and so a released struct, for an export of ours or for C to write. It is the arena's, and
   * must outlast the struct.
   */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** Which device of its type; -1 where there is no such notion. */
  public static long deviceId(MemorySegment array) {
    return array.get(JAVA_LONG, DEVICE_ID);
  }

  /** Writes {@code device_id}. */
  public static void setDeviceId(MemorySegment array, long value) {
    array.set(JAVA_LONG, DEVICE_ID, value);
  }

  /** The {@code ArrowDeviceType} code. */
  public static int deviceType(MemorySegment array) {
    return array.get(JAVA_INT, DEVICE_TYPE);
  }

  /** Writes {@code device_type}. */
  public static void setDeviceType(MemorySegment array, int value) {
    array.set(JAVA_INT, DEVICE_TYPE, value);
  }

  /** A pointer <em>to</em> the device's event handle to wait for before any access, or NULL. */
  public static MemorySegment syncEvent(MemorySegment array) {
    return array.get(ADDRESS, SYNC_EVENT);
  }

  /** Writes {@code sync_event}. */
  public static void setSyncEvent(MemorySegment array, MemorySegment value) {
    array.set(ADDRESS, SYNC_EVENT, value);
  }

  /** Moves the struct: a bitwise copy, then {@code array.release = NULL} at the source, without a call (OWN-05). */
  public static void move(MemorySegment from, MemorySegment to) {
    if (from.asOverlappingSlice(to).isPresent())
      throw new IllegalArgumentException("a struct is not moved to where it is");
    if (from.isReadOnly()) throw new IllegalArgumentException(
        "a struct in read-only memory cannot be moved: it could not be marked as released");
    MemorySegment.copy(from, 0, to, 0, LAYOUT.byteSize());
    ArrowArrayStruct.setRelease(from, MemorySegment.NULL);
  }
}
