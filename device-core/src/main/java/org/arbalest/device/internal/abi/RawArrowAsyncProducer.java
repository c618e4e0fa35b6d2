// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import org.arbalest.device.c.ArrowAsyncProducerStruct;

/**
 * Access to {@link ArrowAsyncProducerStruct} by its address, without a check of the address. Pointers are
 * {@code long}s.
 */
public final class RawArrowAsyncProducer {
  /** The size of the struct in bytes. */
  public static final long SIZE = 40;

  /** The offsets of the fields in bytes. They are constants, so that reading them initializes no class. */
  public static final long DEVICE_TYPE = 0;
  public static final long REQUEST = 8;
  public static final long CANCEL = 16;
  public static final long ADDITIONAL_METADATA = 24;
  public static final long PRIVATE_DATA = 32;

  private RawArrowAsyncProducer() {}

  /** Returns the {@code ArrowDeviceType} of the stream. */
  public static int deviceType(long producer) {
    return Memory.getInt(producer + DEVICE_TYPE);
  }

  /** Writes {@code device_type}. */
  public static void setDeviceType(long producer, int value) {
    Memory.putInt(producer + DEVICE_TYPE, value);
  }

  /** Returns the function pointer {@code request}, {@code void (*)(struct ArrowAsyncProducer*, int64_t n)}. */
  public static long request(long producer) {
    return Memory.getLong(producer + REQUEST);
  }

  /** Writes {@code request}. */
  public static void setRequest(long producer, long value) {
    Memory.putLong(producer + REQUEST, value);
  }

  /** Returns the function pointer {@code cancel}, {@code void (*)(struct ArrowAsyncProducer*)}. */
  public static long cancel(long producer) {
    return Memory.getLong(producer + CANCEL);
  }

  /** Writes {@code cancel}. */
  public static void setCancel(long producer, long value) {
    Memory.putLong(producer + CANCEL, value);
  }

  /** Returns the stream's metadata, encoded like a schema's metadata, or NULL. */
  public static long additionalMetadata(long producer) {
    return Memory.getLong(producer + ADDITIONAL_METADATA);
  }

  /** Writes {@code additional_metadata}. */
  public static void setAdditionalMetadata(long producer, long value) {
    Memory.putLong(producer + ADDITIONAL_METADATA, value);
  }

  /** Returns {@code private_data}, a pointer that only the producer uses. */
  public static long privateData(long producer) {
    return Memory.getLong(producer + PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(long producer, long value) {
    Memory.putLong(producer + PRIVATE_DATA, value);
  }
}
