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
 * The C struct {@code DLTensor} of DLPack: numbers in any number of dimensions, on any device.
 *
 * <p>It is a member of the structs that manage its memory, {@link DLManagedTensorVersionedStruct} and
 * {@link DLManagedTensorStruct}.
 */
public final class DLTensorStruct {
  /** The memory layout of the C struct. In C, {@code device} and {@code dtype} are nested structs. */
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

  /** {@code kDLOpaqueHandle}: opaque handles. */
  public static final int OPAQUE_HANDLE = 3;

  /** {@code kDLBfloat}: bfloat numbers. */
  public static final int BFLOAT = 4;

  /** {@code kDLComplex}: complex numbers. */
  public static final int COMPLEX = 5;

  /** {@code kDLBool}: booleans of one byte each. */
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

  /**
   * Returns the address of the memory. The elements begin {@code byte_offset} bytes after it. May be NULL if the tensor
   * has no elements.
   */
  public static MemorySegment data(MemorySegment tensor) {
    return tensor.get(ADDRESS, DATA);
  }

  /** Writes {@code data}. */
  public static void setData(MemorySegment tensor, MemorySegment value) {
    tensor.set(ADDRESS, DATA, value);
  }

  /** Returns the code of the device type. The codes are those of {@link DeviceType}. */
  public static int deviceType(MemorySegment tensor) {
    return tensor.get(JAVA_INT, DEVICE_TYPE);
  }

  /** Writes {@code device.device_type}. */
  public static void setDeviceType(MemorySegment tensor, int value) {
    tensor.set(JAVA_INT, DEVICE_TYPE, value);
  }

  /** Returns the device's id among the devices of its type; 0 for main memory, pinned memory and managed memory. */
  public static int deviceId(MemorySegment tensor) {
    return tensor.get(JAVA_INT, DEVICE_ID);
  }

  /** Writes {@code device.device_id}. */
  public static void setDeviceId(MemorySegment tensor, int value) {
    tensor.set(JAVA_INT, DEVICE_ID, value);
  }

  /** Returns the number of dimensions. */
  public static int ndim(MemorySegment tensor) {
    return tensor.get(JAVA_INT, NDIM);
  }

  /** Writes {@code ndim}. */
  public static void setNdim(MemorySegment tensor, int value) {
    tensor.set(JAVA_INT, NDIM, value);
  }

  /** Returns the code of the element type, such as {@link #INT}. */
  public static int code(MemorySegment tensor) {
    return Byte.toUnsignedInt(tensor.get(JAVA_BYTE, CODE));
  }

  /** Writes {@code dtype.code}. */
  public static void setCode(MemorySegment tensor, int value) {
    tensor.set(JAVA_BYTE, CODE, (byte) value);
  }

  /** Returns the number of bits in one element. */
  public static int bits(MemorySegment tensor) {
    return Byte.toUnsignedInt(tensor.get(JAVA_BYTE, BITS));
  }

  /** Writes {@code dtype.bits}. */
  public static void setBits(MemorySegment tensor, int value) {
    tensor.set(JAVA_BYTE, BITS, (byte) value);
  }

  /** Returns the number of elements in one vector; 1 if the elements are not vectors. */
  public static int lanes(MemorySegment tensor) {
    return Short.toUnsignedInt(tensor.get(JAVA_SHORT, LANES));
  }

  /** Writes {@code dtype.lanes}. */
  public static void setLanes(MemorySegment tensor, int value) {
    tensor.set(JAVA_SHORT, LANES, (short) value);
  }

  /** Returns a pointer to the sizes of the dimensions, {@code int64_t[ndim]}. */
  public static MemorySegment shape(MemorySegment tensor) {
    return tensor.get(ADDRESS, SHAPE);
  }

  /** Writes {@code shape}. */
  public static void setShape(MemorySegment tensor, MemorySegment value) {
    tensor.set(ADDRESS, SHAPE, value);
  }

  /**
   * Returns a pointer to the strides, {@code int64_t[ndim]}: for each dimension, the number of elements from one index
   * to the next. NULL if the elements are compact in row-major order.
   */
  public static MemorySegment strides(MemorySegment tensor) {
    return tensor.get(ADDRESS, STRIDES);
  }

  /** Writes {@code strides}. */
  public static void setStrides(MemorySegment tensor, MemorySegment value) {
    tensor.set(ADDRESS, STRIDES, value);
  }

  /** Returns the distance from {@code data} to the first element, in bytes. */
  public static long byteOffset(MemorySegment tensor) {
    return tensor.get(JAVA_LONG, BYTE_OFFSET);
  }

  /** Writes {@code byte_offset}. */
  public static void setByteOffset(MemorySegment tensor, long value) {
    tensor.set(JAVA_LONG, BYTE_OFFSET, value);
  }
}
