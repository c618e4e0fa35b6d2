// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import org.arbalest.device.c.ArrowDeviceArrayStruct;

/**
 * Access to {@link ArrowDeviceArrayStruct} by its address, without a check of the address. Pointers are {@code long}s.
 */
public final class RawArrowDeviceArray {
  /** The size of the struct in bytes. */
  public static final long SIZE = 128;

  /** The offsets of the fields in bytes. They are constants, so that reading them initializes no class. */
  public static final long DEVICE_ID = 80;
  public static final long DEVICE_TYPE = 88;
  public static final long SYNC_EVENT = 96;
  public static final long RESERVED = 104;

  private RawArrowDeviceArray() {}

  /** Returns the device's id among the devices of its type; -1 if the type has no ids. */
  public static long deviceId(long array) {
    return Memory.getLong(array + DEVICE_ID);
  }

  /** Writes {@code device_id}. */
  public static void setDeviceId(long array, long value) {
    Memory.putLong(array + DEVICE_ID, value);
  }

  /** Returns the {@code ArrowDeviceType} code. */
  public static int deviceType(long array) {
    return Memory.getInt(array + DEVICE_TYPE);
  }

  /** Writes {@code device_type}. */
  public static void setDeviceType(long array, int value) {
    Memory.putInt(array + DEVICE_TYPE, value);
  }

  /**
   * Returns a pointer <em>to</em> the device's event handle, or NULL. Code that accesses the buffers must wait for the
   * event first.
   */
  public static long syncEvent(long array) {
    return Memory.getLong(array + SYNC_EVENT);
  }

  /** Writes {@code sync_event}. */
  public static void setSyncEvent(long array, long value) {
    Memory.putLong(array + SYNC_EVENT, value);
  }

  /**
   * Moves a struct: copies it bitwise, then sets {@code array.release} of the source to NULL, without a call (OWN-05).
   */
  public static void move(long from, long to) {
    Memory.copy(from, to, SIZE);
    RawArrowArray.setRelease(from, 0);
  }

  /** Writes zeros to the reserved bytes and to the padding after {@code device_type} (DEV-07). */
  public static void clearReserved(long array) {
    Memory.putInt(array + DEVICE_TYPE + 4, 0);
    Memory.putLong(array + RESERVED, 0);
    Memory.putLong(array + RESERVED + 8, 0);
    Memory.putLong(array + RESERVED + 16, 0);
  }
}
