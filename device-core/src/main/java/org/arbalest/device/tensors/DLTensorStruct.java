// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.tensors;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.arbalest.device.internal.abi.Memory.int32;
import static org.arbalest.device.internal.abi.Memory.int64;
import static org.arbalest.device.internal.abi.Memory.pointer;
import static org.arbalest.device.internal.abi.Memory.struct;
import static org.arbalest.device.internal.abi.Memory.uint16;
import static org.arbalest.device.internal.abi.Memory.uint8;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import org.arbalest.device.DeviceType;
import org.arbalest.device.internal.abi.Memory;

/**
 * {@code DLTensor} of DLPack: numbers in any dimensions, on any device. A part of the structs that manage its memory.
 */
public final class DLTensorStruct {
  /** The struct as the C compiler lays it out; {@code device} and {@code dtype} are structs in it. */
  public static final StructLayout LAYOUT =
      struct(
          "DLTensor",
          pointer("data"),
          int32("device.device_type"),
          int32("device.device_id"),
          int32("ndim"),
          uint8("dtype.code"),
          uint8("dtype.bits"),
          uint16("dtype.lanes"),
          pointer("shape"),
          pointer("strides"),
          int64("byte_offset"));

  /** {@code kDLInt}: signed integers. */
  public static final int INT = 0;

  /** {@code kDLUInt}: unsigned integers. */
  public static final int UINT = 1;

  /** {@code kDLFloat}: IEEE 754 numbers. */
  public static final int FLOAT = 2;

  /** {@code kDLOpaqueHandle}. */
  public static final int OPAQUE_HANDLE = 3;

  /** {@code kDLBfloat}. */
  public static final int BFLOAT = 4;

  /** {@code kDLComplex}. */
  public static final int COMPLEX = 5;

  /** {@code kDLBool}: a byte each. */
  public static final int BOOL = 6;

  private static final long DATA = Memory.byteOffset(LAYOUT, "data");
  private static final long DEVICE_TYPE = Memory.byteOffset(LAYOUT, "device.device_type");
  private static final long DEVICE_ID = Memory.byteOffset(LAYOUT, "device.device_id");
  private static final long NDIM = Memory.byteOffset(LAYOUT, "ndim");
  private static final long CODE = Memory.byteOffset(LAYOUT, "dtype.code");
  private static final long BITS = Memory.byteOffset(LAYOUT, "dtype.bits");
  private static final long LANES = Memory.byteOffset(LAYOUT, "dtype.lanes");
  private static final long SHAPE = Memory.byteOffset(LAYOUT, "shape");
  private static final long STRIDES = Memory.byteOffset(LAYOUT, "strides");
  private static final long BYTE_OFFSET = Memory.byteOffset(LAYOUT, "byte_offset");

  private DLTensorStruct() {}

  /** Where the memory is; elements begin {@code byte_offset} behind it. May be NULL if there are none. */
  public static MemorySegment data(MemorySegment tensor) {
    return tensor.get(ADDRESS, DATA);
  }

  /** Writes {@code data}. */
  public static void setData(MemorySegment tensor, MemorySegment value) {
    tensor.set(ADDRESS, DATA, value);
  }

  /** The kind of device, by the same codes as {@link DeviceType}. */
  public static int deviceType(MemorySegment tensor) {
    return tensor.get(JAVA_INT, DEVICE_TYPE);
  }

  /** Writes {@code device.device_type}. */
  public static void setDeviceType(MemorySegment tensor, int value) {
    tensor.set(JAVA_INT, DEVICE_TYPE, value);
  }

  /** Which device of its kind; 0 for main memory, pinned or managed memory. */
  public static int deviceId(MemorySegment tensor) {
    return tensor.get(JAVA_INT, DEVICE_ID);
  }

  /** Writes {@code device.device_id}. */
  public static void setDeviceId(MemorySegment tensor, int value) {
    tensor.set(JAVA_INT, DEVICE_ID, value);
  }

  /** The number of dimensions. */
  public static int ndim(MemorySegment tensor) {
    return tensor.get(JAVA_INT, NDIM);
  }

  /** Writes {@code ndim}. */
  public static void setNdim(MemorySegment tensor, int value) {
    tensor.set(JAVA_INT, NDIM, value);
  }

  /** What the elements are: {@link #INT} and the like. */
  public static int code(MemorySegment tensor) {
    return Byte.toUnsignedInt(tensor.get(JAVA_BYTE, CODE));
  }

  /** Writes {@code dtype.code}. */
  public static void setCode(MemorySegment tensor, int value) {
    tensor.set(JAVA_BYTE, CODE, (byte) value);
  }

  /** How many bits one element has. */
  public static int bits(MemorySegment tensor) {
    return Byte.toUnsignedInt(tensor.get(JAVA_BYTE, BITS));
  }

  /** Writes {@code dtype.bits}. */
  public static void setBits(MemorySegment tensor, int value) {
    tensor.set(JAVA_BYTE, BITS, (byte) value);
  }

  /** How many elements a vector has; 1 if they are no vectors. */
  public static int lanes(MemorySegment tensor) {
    return Short.toUnsignedInt(tensor.get(JAVA_SHORT, LANES));
  }

  /** Writes {@code dtype.lanes}. */
  public static void setLanes(MemorySegment tensor, int value) {
    tensor.set(JAVA_SHORT, LANES, (short) value);
  }

  /** A pointer to the sizes of the dimensions, {@code int64_t[ndim]}. */
  public static MemorySegment shape(MemorySegment tensor) {
    return tensor.get(ADDRESS, SHAPE);
  }

  /** Writes {@code shape}. */
  public static void setShape(MemorySegment tensor, MemorySegment value) {
    tensor.set(ADDRESS, SHAPE, value);
  }

  /**
   * A pointer to how many elements lie from one of each dimension to the next, {@code int64_t[ndim]}; NULL if they are
   * compact, the last dimension side by side.
   */
  public static MemorySegment strides(MemorySegment tensor) {
    return tensor.get(ADDRESS, STRIDES);
  }

  /** Writes {@code strides}. */
  public static void setStrides(MemorySegment tensor, MemorySegment value) {
    tensor.set(ADDRESS, STRIDES, value);
  }

  /** Where the first element is behind {@code data}, in bytes. */
  public static long byteOffset(MemorySegment tensor) {
    return tensor.get(JAVA_LONG, BYTE_OFFSET);
  }

  /** Writes {@code byte_offset}. */
  public static void setByteOffset(MemorySegment tensor, long value) {
    tensor.set(JAVA_LONG, BYTE_OFFSET, value);
  }
}
