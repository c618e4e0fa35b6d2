// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import static org.arbalest.device.internal.abi.Memory.byteOffset;

import org.arbalest.device.c.ArrowAsyncHandlerStruct;

/**
 * Access to {@link ArrowAsyncHandlerStruct} by its address, without a check of the address. Pointers are {@code long}s.
 */
public final class RawArrowAsyncHandler {
  /** The size of the struct in bytes. */
  public static final long SIZE = ArrowAsyncHandlerStruct.LAYOUT.byteSize();

  private static final long ON_SCHEMA = byteOffset(ArrowAsyncHandlerStruct.LAYOUT, "on_schema");
  private static final long ON_NEXT_TASK = byteOffset(ArrowAsyncHandlerStruct.LAYOUT, "on_next_task");
  private static final long ON_ERROR = byteOffset(ArrowAsyncHandlerStruct.LAYOUT, "on_error");
  private static final long RELEASE = byteOffset(ArrowAsyncHandlerStruct.LAYOUT, "release");
  private static final long PRODUCER = byteOffset(ArrowAsyncHandlerStruct.LAYOUT, "producer");
  private static final long PRIVATE_DATA = byteOffset(ArrowAsyncHandlerStruct.LAYOUT, "private_data");

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
