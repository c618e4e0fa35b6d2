// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static org.arbalest.device.internal.abi.Memory.pointer;
import static org.arbalest.device.internal.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import org.arbalest.device.internal.abi.Memory;
import org.arbalest.device.internal.abi.RawArrowAsyncHandler;

/**
 * The C struct {@code ArrowAsyncDeviceStreamHandler}: the callbacks of a consumer.
 *
 * <p>The consumer owns it. The producer releases it by a call of {@code release}.
 */
public final class ArrowAsyncHandlerStruct {
  /** The memory layout of the C struct. */
  public static final StructLayout LAYOUT =
      struct(
          "ArrowAsyncDeviceStreamHandler",
          pointer("on_schema"),
          pointer("on_next_task"),
          pointer("on_error"),
          pointer("release"),
          pointer("producer"),
          pointer("private_data"));

  private static final long ON_SCHEMA = RawArrowAsyncHandler.ON_SCHEMA;
  private static final long ON_NEXT_TASK = RawArrowAsyncHandler.ON_NEXT_TASK;
  private static final long ON_ERROR = RawArrowAsyncHandler.ON_ERROR;
  private static final long RELEASE = RawArrowAsyncHandler.RELEASE;
  private static final long PRODUCER = RawArrowAsyncHandler.PRODUCER;
  private static final long PRIVATE_DATA = RawArrowAsyncHandler.PRIVATE_DATA;

  private ArrowAsyncHandlerStruct() {}

  /**
   * Allocates memory for one struct, filled with zeros, which is the state of a released struct. An export or native
   * code then writes to it.
   *
   * <p>The arena owns the memory, and must stay open as long as the struct is in use.
   */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /**
   * Returns the callback {@code on_schema},
   * {@code int (*)(struct ArrowAsyncDeviceStreamHandler*, struct ArrowSchema*)}.
   */
  public static MemorySegment onSchemaCallback(MemorySegment handler) {
    return handler.get(ADDRESS, ON_SCHEMA);
  }

  /** Writes {@code on_schema}. */
  public static void setOnSchemaCallback(MemorySegment handler, MemorySegment value) {
    handler.set(ADDRESS, ON_SCHEMA, value);
  }

  /**
   * Returns the callback {@code on_next_task},
   * {@code int (*)(struct ArrowAsyncDeviceStreamHandler*, struct ArrowAsyncTask*, const char* metadata)}.
   */
  public static MemorySegment onNextTaskCallback(MemorySegment handler) {
    return handler.get(ADDRESS, ON_NEXT_TASK);
  }

  /** Writes {@code on_next_task}. */
  public static void setOnNextTaskCallback(MemorySegment handler, MemorySegment value) {
    handler.set(ADDRESS, ON_NEXT_TASK, value);
  }

  /**
   * Returns the callback {@code on_error},
   * {@code void (*)(struct ArrowAsyncDeviceStreamHandler*, int code, const char* message, const char* metadata)}.
   */
  public static MemorySegment onErrorCallback(MemorySegment handler) {
    return handler.get(ADDRESS, ON_ERROR);
  }

  /** Writes {@code on_error}. */
  public static void setOnErrorCallback(MemorySegment handler, MemorySegment value) {
    handler.set(ADDRESS, ON_ERROR, value);
  }

  /**
   * Returns the callback {@code release}, {@code void (*)(struct ArrowAsyncDeviceStreamHandler*)}. It is the last
   * callback.
   */
  public static MemorySegment releaseCallback(MemorySegment handler) {
    return handler.get(ADDRESS, RELEASE);
  }

  /** Writes {@code release}. */
  public static void setReleaseCallback(MemorySegment handler, MemorySegment value) {
    handler.set(ADDRESS, RELEASE, value);
  }

  /**
   * Returns the {@code ArrowAsyncProducer}. The producer sets it before it calls any callback except {@code release}.
   */
  public static MemorySegment producer(MemorySegment handler) {
    return handler.get(ADDRESS, PRODUCER);
  }

  /** Writes {@code producer}. */
  public static void setProducer(MemorySegment handler, MemorySegment value) {
    handler.set(ADDRESS, PRODUCER, value);
  }

  /** Returns {@code private_data}, a pointer that only the consumer uses. */
  public static MemorySegment privateData(MemorySegment handler) {
    return handler.get(ADDRESS, PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(MemorySegment handler, MemorySegment value) {
    handler.set(ADDRESS, PRIVATE_DATA, value);
  }
}
