// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.arbalest.device.internal.abi.Memory.int32;
import static org.arbalest.device.internal.abi.Memory.padding;
import static org.arbalest.device.internal.abi.Memory.pointer;
import static org.arbalest.device.internal.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import org.arbalest.device.internal.abi.Memory;
import org.arbalest.device.internal.abi.RawArrowAsyncProducer;

/**
 * The C struct {@code ArrowAsyncProducer}: the functions with which a consumer requests tasks or cancels.
 *
 * <p>The producer owns it. The layout is that of the {@code abi.h} that Arrow C++ and arrow-go ship, which has no
 * {@code release} member.
 */
public final class ArrowAsyncProducerStruct {
  /** The memory layout of the C struct. */
  public static final StructLayout LAYOUT =
      struct(
          "ArrowAsyncProducer",
          int32("device_type"),
          padding(),
          pointer("request"),
          pointer("cancel"),
          pointer("additional_metadata"),
          pointer("private_data"));

  private static final long DEVICE_TYPE = RawArrowAsyncProducer.DEVICE_TYPE;
  private static final long REQUEST = RawArrowAsyncProducer.REQUEST;
  private static final long CANCEL = RawArrowAsyncProducer.CANCEL;
  private static final long ADDITIONAL_METADATA = RawArrowAsyncProducer.ADDITIONAL_METADATA;
  private static final long PRIVATE_DATA = RawArrowAsyncProducer.PRIVATE_DATA;

  private ArrowAsyncProducerStruct() {}

  /**
   * Allocates memory for one struct, filled with zeros.
   *
   * <p>The arena owns the memory, and must stay open as long as the struct is in use.
   */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** Returns the {@code ArrowDeviceType} of the stream. */
  public static int deviceType(MemorySegment producer) {
    return producer.get(JAVA_INT, DEVICE_TYPE);
  }

  /** Writes {@code device_type}. */
  public static void setDeviceType(MemorySegment producer, int value) {
    producer.set(JAVA_INT, DEVICE_TYPE, value);
  }

  /** Returns the function pointer {@code request}, {@code void (*)(struct ArrowAsyncProducer*, int64_t n)}. */
  public static MemorySegment requestCallback(MemorySegment producer) {
    return producer.get(ADDRESS, REQUEST);
  }

  /** Writes {@code request}. */
  public static void setRequestCallback(MemorySegment producer, MemorySegment value) {
    producer.set(ADDRESS, REQUEST, value);
  }

  /** Returns the function pointer {@code cancel}, {@code void (*)(struct ArrowAsyncProducer*)}. */
  public static MemorySegment cancelCallback(MemorySegment producer) {
    return producer.get(ADDRESS, CANCEL);
  }

  /** Writes {@code cancel}. */
  public static void setCancelCallback(MemorySegment producer, MemorySegment value) {
    producer.set(ADDRESS, CANCEL, value);
  }

  /** Returns the stream's metadata, encoded like a schema's metadata, or NULL. */
  public static MemorySegment additionalMetadata(MemorySegment producer) {
    return producer.get(ADDRESS, ADDITIONAL_METADATA);
  }

  /** Writes {@code additional_metadata}. */
  public static void setAdditionalMetadata(MemorySegment producer, MemorySegment value) {
    producer.set(ADDRESS, ADDITIONAL_METADATA, value);
  }

  /** Returns {@code private_data}, a pointer that only the producer uses. */
  public static MemorySegment privateData(MemorySegment producer) {
    return producer.get(ADDRESS, PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(MemorySegment producer, MemorySegment value) {
    producer.set(ADDRESS, PRIVATE_DATA, value);
  }
}
