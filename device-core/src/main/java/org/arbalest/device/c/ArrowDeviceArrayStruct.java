// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
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
import org.arbalest.device.internal.abi.RawArrowDeviceArray;

/** The C struct {@code ArrowDeviceArray}: an {@code ArrowArray} as its first member, and the device of its buffers. */
public final class ArrowDeviceArrayStruct {
  /** The memory layout of the C struct. */
  public static final StructLayout LAYOUT =
      struct(
          "ArrowDeviceArray",
          ArrowArrayStruct.LAYOUT.withName("array"),
          int64("device_id"),
          int32("device_type"),
          padding(),
          pointer("sync_event"),
          MemoryLayout.sequenceLayout(3, ValueLayout.JAVA_LONG).withName("reserved"));

  private static final long DEVICE_ID = RawArrowDeviceArray.DEVICE_ID;
  private static final long DEVICE_TYPE = RawArrowDeviceArray.DEVICE_TYPE;
  private static final long SYNC_EVENT = RawArrowDeviceArray.SYNC_EVENT;

  private ArrowDeviceArrayStruct() {}

  /**
   * Allocates memory for one struct, filled with zeros, which is the state of a released struct. An export or native
   * code then writes to it.
   *
   * <p>The arena owns the memory, and must stay open as long as the struct is in use.
   */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** Returns the device's id among the devices of its type; -1 if the type has no ids. */
  public static long deviceId(MemorySegment array) {
    return array.get(JAVA_LONG, DEVICE_ID);
  }

  /** Writes {@code device_id}. */
  public static void setDeviceId(MemorySegment array, long value) {
    array.set(JAVA_LONG, DEVICE_ID, value);
  }

  /** Returns the {@code ArrowDeviceType} code. */
  public static int deviceType(MemorySegment array) {
    return array.get(JAVA_INT, DEVICE_TYPE);
  }

  /** Writes {@code device_type}. */
  public static void setDeviceType(MemorySegment array, int value) {
    array.set(JAVA_INT, DEVICE_TYPE, value);
  }

  /**
   * Returns a pointer <em>to</em> the device's event handle, or NULL. Code that accesses the buffers must wait for the
   * event first.
   */
  public static MemorySegment syncEvent(MemorySegment array) {
    return array.get(ADDRESS, SYNC_EVENT);
  }

  /** Writes {@code sync_event}. */
  public static void setSyncEvent(MemorySegment array, MemorySegment value) {
    array.set(ADDRESS, SYNC_EVENT, value);
  }

  /**
   * Moves a struct: copies it bitwise, then sets {@code array.release} of the source to NULL, without a call (OWN-05).
   *
   * @throws IllegalArgumentException if the structs overlap, or {@code from} is in read-only memory
   */
  public static void move(MemorySegment from, MemorySegment to) {
    if (from.asOverlappingSlice(to).isPresent())
      throw new IllegalArgumentException("a struct cannot be moved onto itself");
    if (from.isReadOnly()) throw new IllegalArgumentException(
        "a struct in read-only memory cannot be moved: it could not be marked as released");
    MemorySegment.copy(from, 0, to, 0, LAYOUT.byteSize());
    ArrowArrayStruct.setReleaseCallback(from, MemorySegment.NULL);
  }
}
