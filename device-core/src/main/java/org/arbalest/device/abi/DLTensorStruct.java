// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.abi;

import static org.arbalest.device.abi.Memory.int32;
import static org.arbalest.device.abi.Memory.int64;
import static org.arbalest.device.abi.Memory.pointer;
import static org.arbalest.device.abi.Memory.struct;
import static org.arbalest.device.abi.Memory.uint16;
import static org.arbalest.device.abi.Memory.uint8;

import java.lang.foreign.StructLayout;

/** {@code DLTensor} of DLPack: numbers in any dimensions, on any device. A part of the structs that manage its memory. */
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

  /** Its size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

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
  public static long data(long tensor) {
    return Memory.getLong(tensor + DATA);
  }

  /** Writes {@code data}. */
  public static void setData(long tensor, long value) {
    Memory.putLong(tensor + DATA, value);
  }

  /** The kind of device, by the same codes as {@link DeviceType}. */
  public static int deviceType(long tensor) {
    return Memory.getInt(tensor + DEVICE_TYPE);
  }

  /** Writes {@code device.device_type}. */
  public static void setDeviceType(long tensor, int value) {
    Memory.putInt(tensor + DEVICE_TYPE, value);
  }

  /** Which device of its kind; 0 for main memory, pinned or managed memory. */
  public static int deviceId(long tensor) {
    return Memory.getInt(tensor + DEVICE_ID);
  }

  /** Writes {@code device.device_id}. */
  public static void setDeviceId(long tensor, int value) {
    Memory.putInt(tensor + DEVICE_ID, value);
  }

  /** The number of dimensions. */
  public static int ndim(long tensor) {
    return Memory.getInt(tensor + NDIM);
  }

  /** Writes {@code ndim}. */
  public static void setNdim(long tensor, int value) {
    Memory.putInt(tensor + NDIM, value);
  }

  /** What the elements are: {@link #INT} and the like. */
  public static int code(long tensor) {
    return Memory.getUnsignedByte(tensor + CODE);
  }

  /** Writes {@code dtype.code}. */
  public static void setCode(long tensor, int value) {
    Memory.putByte(tensor + CODE, value);
  }

  /** How many bits one element has. */
  public static int bits(long tensor) {
    return Memory.getUnsignedByte(tensor + BITS);
  }

  /** Writes {@code dtype.bits}. */
  public static void setBits(long tensor, int value) {
    Memory.putByte(tensor + BITS, value);
  }

  /** How many elements a vector has; 1 if they are no vectors. */
  public static int lanes(long tensor) {
    return Memory.getUnsignedShort(tensor + LANES);
  }

  /** Writes {@code dtype.lanes}. */
  public static void setLanes(long tensor, int value) {
    Memory.putShort(tensor + LANES, value);
  }

  /** A pointer to the sizes of the dimensions, {@code int64_t[ndim]}. */
  public static long shape(long tensor) {
    return Memory.getLong(tensor + SHAPE);
  }

  /** Writes {@code shape}. */
  public static void setShape(long tensor, long value) {
    Memory.putLong(tensor + SHAPE, value);
  }

  /** A pointer to how many elements lie from one of each dimension to the next, {@code int64_t[ndim]}; NULL if they are compact, the last dimension side by side. */
  public static long strides(long tensor) {
    return Memory.getLong(tensor + STRIDES);
  }

  /** Writes {@code strides}. */
  public static void setStrides(long tensor, long value) {
    Memory.putLong(tensor + STRIDES, value);
  }

  /** Where the first element is behind {@code data}, in bytes. */
  public static long byteOffset(long tensor) {
    return Memory.getLong(tensor + BYTE_OFFSET);
  }

  /** Writes {@code byte_offset}. */
  public static void setByteOffset(long tensor, long value) {
    Memory.putLong(tensor + BYTE_OFFSET, value);
  }
}
