// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import org.arbalest.device.c.ArrowAsyncHandlerStruct;

/**
 * Access to {@link ArrowAsyncHandlerStruct} by its address, without a check of the address. Pointers are {@code long}s.
 */
public final class RawArrowAsyncHandler {
  /** The size of the struct in bytes. */
  public static final long SIZE = 48;

  /** The offsets of the fields in bytes. They are constants, so that reading them initializes no class. */
  public static final long ON_SCHEMA = 0;
  public static final long ON_NEXT_TASK = 8;
  public static final long ON_ERROR = 16;
  public static final long RELEASE = 24;
  public static final long PRODUCER = 32;
  public static final long PRIVATE_DATA = 40;

  private RawArrowAsyncHandler() {}

  /**
   * Returns the callback {@code on_schema},
   * {@code int (*)(struct ArrowAsyncDeviceStreamHandler*, struct ArrowSchema*)}.
   */
  public static long onSchema(long handler) {
    return Memory.getLong(handler + ON_SCHEMA);
  }

  /** Writes {@code on_schema}. */
  public static void setOnSchema(long handler, long value) {
    Memory.putLong(handler + ON_SCHEMA, value);
  }

  /**
   * Returns the callback {@code on_next_task},
   * {@code int (*)(struct ArrowAsyncDeviceStreamHandler*, struct ArrowAsyncTask*, const char* metadata)}.
   */
  public static long onNextTask(long handler) {
    return Memory.getLong(handler + ON_NEXT_TASK);
  }

  /** Writes {@code on_next_task}. */
  public static void setOnNextTask(long handler, long value) {
    Memory.putLong(handler + ON_NEXT_TASK, value);
  }

  /**
   * Returns the callback {@code on_error},
   * {@code void (*)(struct ArrowAsyncDeviceStreamHandler*, int code, const char* message, const char* metadata)}.
   */
  public static long onError(long handler) {
    return Memory.getLong(handler + ON_ERROR);
  }

  /** Writes {@code on_error}. */
  public static void setOnError(long handler, long value) {
    Memory.putLong(handler + ON_ERROR, value);
  }

  /**
   * Returns the callback {@code release}, {@code void (*)(struct ArrowAsyncDeviceStreamHandler*)}. It is the last
   * callback.
   */
  public static long release(long handler) {
    return Memory.getLong(handler + RELEASE);
  }

  /** Writes {@code release}. */
  public static void setRelease(long handler, long value) {
    Memory.putLong(handler + RELEASE, value);
  }

  /**
   * Returns the {@code ArrowAsyncProducer}. The producer sets it before it calls any callback except {@code release}.
   */
  public static long producer(long handler) {
    return Memory.getLong(handler + PRODUCER);
  }

  /** Writes {@code producer}. */
  public static void setProducer(long handler, long value) {
    Memory.putLong(handler + PRODUCER, value);
  }

  /** Returns {@code private_data}, a pointer that only the consumer uses. */
  public static long privateData(long handler) {
    return Memory.getLong(handler + PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(long handler, long value) {
    Memory.putLong(handler + PRIVATE_DATA, value);
  }
}
