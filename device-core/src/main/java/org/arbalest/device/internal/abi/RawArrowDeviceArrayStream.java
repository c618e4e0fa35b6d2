// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import org.arbalest.device.c.ArrowDeviceArrayStreamStruct;

/**
 * Access to {@link ArrowDeviceArrayStreamStruct} by its address, without a check of the address. Pointers are
 * {@code long}s.
 */
public final class RawArrowDeviceArrayStream {
  /** The size of the struct in bytes. */
  public static final long SIZE = 48;

  /** The offsets of the fields in bytes. They are constants, so that reading them initializes no class. */
  public static final long DEVICE_TYPE = 0;
  public static final long GET_SCHEMA = 8;
  public static final long GET_NEXT = 16;
  public static final long GET_LAST_ERROR = 24;
  public static final long RELEASE = 32;
  public static final long PRIVATE_DATA = 40;

  private RawArrowDeviceArrayStream() {}

  /** Returns the {@code ArrowDeviceType} of every array of the stream. */
  public static int deviceType(long stream) {
    return Memory.getInt(stream + DEVICE_TYPE);
  }

  /** Writes {@code device_type}. */
  public static void setDeviceType(long stream, int value) {
    Memory.putInt(stream + DEVICE_TYPE, value);
  }

  /**
   * Returns the function pointer {@code get_schema},
   * {@code int (*)(struct ArrowDeviceArrayStream*, struct ArrowSchema* out)}.
   */
  public static long getSchema(long stream) {
    return Memory.getLong(stream + GET_SCHEMA);
  }

  /** Writes {@code get_schema}. */
  public static void setGetSchema(long stream, long value) {
    Memory.putLong(stream + GET_SCHEMA, value);
  }

  /**
   * Returns the function pointer {@code get_next},
   * {@code int (*)(struct ArrowDeviceArrayStream*, struct ArrowDeviceArray* out)}. A released {@code out} means the end
   * of the stream.
   */
  public static long getNext(long stream) {
    return Memory.getLong(stream + GET_NEXT);
  }

  /** Writes {@code get_next}. */
  public static void setGetNext(long stream, long value) {
    Memory.putLong(stream + GET_NEXT, value);
  }

  /**
   * Returns the function pointer {@code get_last_error}, {@code const char* (*)(struct ArrowDeviceArrayStream*)}. The
   * consumer calls it only after an error.
   */
  public static long getLastError(long stream) {
    return Memory.getLong(stream + GET_LAST_ERROR);
  }

  /** Writes {@code get_last_error}. */
  public static void setGetLastError(long stream, long value) {
    Memory.putLong(stream + GET_LAST_ERROR, value);
  }

  /** Returns the release callback. It is NULL (0) if and only if the struct is released (OWN-01). */
  public static long release(long stream) {
    return Memory.getLong(stream + RELEASE);
  }

  /** Writes {@code release}. */
  public static void setRelease(long stream, long value) {
    Memory.putLong(stream + RELEASE, value);
  }

  /** Returns {@code private_data}, a pointer that only the producer uses. */
  public static long privateData(long stream) {
    return Memory.getLong(stream + PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(long stream, long value) {
    Memory.putLong(stream + PRIVATE_DATA, value);
  }

  /** Moves a struct: copies it bitwise, then sets {@code release} of the source to NULL, without a call (OWN-05). */
  public static void move(long from, long to) {
    Memory.copy(from, to, SIZE);
    setRelease(from, 0);
  }
}
