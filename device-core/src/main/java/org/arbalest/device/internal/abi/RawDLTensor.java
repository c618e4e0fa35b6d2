// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import org.arbalest.device.tensors.DLTensorStruct;

/** Access to {@link DLTensorStruct} by its address, without a check of the address. Pointers are {@code long}s. */
public final class RawDLTensor {
  /** The size of the struct in bytes. */
  public static final long SIZE = DLTensorStruct.LAYOUT.byteSize();

  private static final long DATA = Memory.byteOffset(DLTensorStruct.LAYOUT, "data");
  private static final long DEVICE_TYPE = Memory.byteOffset(DLTensorStruct.LAYOUT, "device.device_type");
  private static final long DEVICE_ID = Memory.byteOffset(DLTensorStruct.LAYOUT, "device.device_id");
  private static final long NDIM = Memory.byteOffset(DLTensorStruct.LAYOUT, "ndim");
  private static final long CODE = Memory.byteOffset(DLTensorStruct.LAYOUT, "dtype.code");
  private static final long BITS = Memory.byteOffset(DLTensorStruct.LAYOUT, "dtype.bits");
  private static final long LANES = Memory.byteOffset(DLTensorStruct.LAYOUT, "dtype.lanes");
  private static final long SHAPE = Memory.byteOffset(DLTensorStruct.LAYOUT, "shape");
  private static final long STRIDES = Memory.byteOffset(DLTensorStruct.LAYOUT, "strides");
  private static final long BYTE_OFFSET = Memory.byteOffset(DLTensorStruct.LAYOUT, "byte_offset");

  private RawDLTensor() {}

  /**
   * Returns the address of the memory. The elements begin {@code byte_offset} bytes after it. May be NULL if the tensor
   * has no elements.
   */
  public static long data(long tensor) {
    return Memory.getLong(tensor + DATA);
  }

  /** Writes {@code data}. */
  public static void setData(long tensor, long value) {
    Memory.putLong(tensor + DATA, value);
  }

  /** Returns the code of the device type. The codes are those of Arrow. */
  public static int deviceType(long tensor) {
    return Memory.getInt(tensor + DEVICE_TYPE);
  }

  /** Writes {@code device.device_type}. */
  public static void setDeviceType(long tensor, int value) {
    Memory.putInt(tensor + DEVICE_TYPE, value);
  }

  /** Returns the device's id among the devices of its type; 0 for main memory, pinned memory and managed memory. */
  public static int deviceId(long tensor) {
    return Memory.getInt(tensor + DEVICE_ID);
  }

  /** Writes {@code device.device_id}. */
  public static void setDeviceId(long tensor, int value) {
    Memory.putInt(tensor + DEVICE_ID, value);
  }

  /** Returns the number of dimensions. */
  public static int ndim(long tensor) {
    return Memory.getInt(tensor + NDIM);
  }

  /** Writes {@code ndim}. */
  public static void setNdim(long tensor, int value) {
    Memory.putInt(tensor + NDIM, value);
  }

  /** Returns the code of the element type, such as {@link DLTensorStruct#INT}. */
  public static int code(long tensor) {
    return Memory.getUnsignedByte(tensor + CODE);
  }

  /** Writes {@code dtype.code}. */
  public static void setCode(long tensor, int value) {
    Memory.putByte(tensor + CODE, value);
  }

  /** Returns the number of bits in one element. */
  public static int bits(long tensor) {
    return Memory.getUnsignedByte(tensor + BITS);
  }

  /** Writes {@code dtype.bits}. */
  public static void setBits(long tensor, int value) {
    Memory.putByte(tensor + BITS, value);
  }

  /** Returns the number of elements in one vector; 1 if the elements are not vectors. */
  public static int lanes(long tensor) {
    return Memory.getUnsignedShort(tensor + LANES);
  }

  /** Writes {@code dtype.lanes}. */
  public static void setLanes(long tensor, int value) {
    Memory.putShort(tensor + LANES, value);
  }

  /** Returns a pointer to the sizes of the dimensions, {@code int64_t[ndim]}. */
  public static long shape(long tensor) {
    return Memory.getLong(tensor + SHAPE);
  }

  /** Writes {@code shape}. */
  public static void setShape(long tensor, long value) {
    Memory.putLong(tensor + SHAPE, value);
  }

  /**
   * Returns a pointer to the strides, {@code int64_t[ndim]}: for each dimension, the number of elements from one index
   * to the next. NULL if the elements are compact in row-major order.
   */
  public static long strides(long tensor) {
    return Memory.getLong(tensor + STRIDES);
  }

  /** Writes {@code strides}. */
  public static void setStrides(long tensor, long value) {
    Memory.putLong(tensor + STRIDES, value);
  }

  /** Returns the distance from {@code data} to the first element, in bytes. */
  public static long byteOffset(long tensor) {
    return Memory.getLong(tensor + BYTE_OFFSET);
  }

  /** Writes {@code byte_offset}. */
  public static void setByteOffset(long tensor, long value) {
    Memory.putLong(tensor + BYTE_OFFSET, value);
  }
}
