// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import static org.arbalest.device.internal.abi.Memory.byteOffset;

import org.arbalest.device.c.ArrowDeviceArrayStruct;

/** {@link ArrowDeviceArrayStruct} by its address, which is not checked. Pointers are {@code long}s. */
public final class RawArrowDeviceArray {
  /** Its size in bytes. */
  public static final long SIZE = ArrowDeviceArrayStruct.LAYOUT.byteSize();

  private static final long DEVICE_ID = byteOffset(ArrowDeviceArrayStruct.LAYOUT, "device_id");
  private static final long DEVICE_TYPE = byteOffset(ArrowDeviceArrayStruct.LAYOUT, "device_type");
  private static final long SYNC_EVENT = byteOffset(ArrowDeviceArrayStruct.LAYOUT, "sync_event");
  private static final long RESERVED = byteOffset(ArrowDeviceArrayStruct.LAYOUT, "reserved");

  private RawArrowDeviceArray() {}

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
    RawArrowArray.setRelease(from, 0);
  }

  /** Zeroes the reserved bytes and the padding after {@code device_type} (DEV-07). */
  public static void clearReserved(long array) {
    Memory.putInt(array + DEVICE_TYPE + 4, 0);
    Memory.putLong(array + RESERVED, 0);
    Memory.putLong(array + RESERVED + 8, 0);
    Memory.putLong(array + RESERVED + 16, 0);
  }
}
