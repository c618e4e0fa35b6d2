// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.abi;

import static org.arbalest.device.abi.Memory.int32;
import static org.arbalest.device.abi.Memory.byteOffset;
import static org.arbalest.device.abi.Memory.padding;
import static org.arbalest.device.abi.Memory.pointer;
import static org.arbalest.device.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;

/**
 * {@code struct ArrowAsyncProducer}: how a consumer asks for more or cancels; owned by the producer. The layout is that of {@code abi.h} as Arrow
 * C++ and arrow-go ship it, without a release.
 */
public final class ArrowAsyncProducerStruct {
  /** The struct as the C compiler lays it out. */
  public static final StructLayout LAYOUT =
      struct(
          "ArrowAsyncProducer",
          int32("device_type"),
          padding(),
          pointer("request"),
          pointer("cancel"),
          pointer("additional_metadata"),
          pointer("private_data"));

  /** Its size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final long DEVICE_TYPE = byteOffset(LAYOUT, "device_type");
  private static final long REQUEST = byteOffset(LAYOUT, "request");
  private static final long CANCEL = byteOffset(LAYOUT, "cancel");
  private static final long ADDITIONAL_METADATA = byteOffset(LAYOUT, "additional_metadata");
  private static final long PRIVATE_DATA = byteOffset(LAYOUT, "private_data");

  private ArrowAsyncProducerStruct() {}

  /** Memory for one, zeroed. It is the arena's, and must outlast the struct. */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** The {@code ArrowDeviceType} of the stream. */
  public static int deviceType(long producer) {
    return Memory.getInt(producer + DEVICE_TYPE);
  }

  /** Writes {@code device_type}. */
  public static void setDeviceType(long producer, int value) {
    Memory.putInt(producer + DEVICE_TYPE, value);
  }

  /** {@code void (*)(struct ArrowAsyncProducer*, int64_t n)}. */
  public static long request(long producer) {
    return Memory.getLong(producer + REQUEST);
  }

  /** Writes {@code request}. */
  public static void setRequest(long producer, long value) {
    Memory.putLong(producer + REQUEST, value);
  }

  /** {@code void (*)(struct ArrowAsyncProducer*)}. */
  public static long cancel(long producer) {
    return Memory.getLong(producer + CANCEL);
  }

  /** Writes {@code cancel}. */
  public static void setCancel(long producer, long value) {
    Memory.putLong(producer + CANCEL, value);
  }

  /** Stream metadata, encoded like a schema's, or NULL. */
  public static long additionalMetadata(long producer) {
    return Memory.getLong(producer + ADDITIONAL_METADATA);
  }

  /** Writes {@code additional_metadata}. */
  public static void setAdditionalMetadata(long producer, long value) {
    Memory.putLong(producer + ADDITIONAL_METADATA, value);
  }

  /** The producer's own pointer; nobody else's business. */
  public static long privateData(long producer) {
    return Memory.getLong(producer + PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(long producer, long value) {
    Memory.putLong(producer + PRIVATE_DATA, value);
  }
}
