// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.abi;

import org.arbalest.device.c.ArrowArrayStruct;

/** Access to {@link ArrowArrayStruct} by its address, without a check of the address. Pointers are {@code long}s. */
public final class RawArrowArray {
  /** The size of the struct in bytes. */
  public static final long SIZE = 80;

  /** The offsets of the fields in bytes. They are constants, so that reading them initializes no class. */
  public static final long LENGTH = 0;
  public static final long NULL_COUNT = 8;
  public static final long OFFSET = 16;
  public static final long N_BUFFERS = 24;
  public static final long N_CHILDREN = 32;
  public static final long BUFFERS = 40;
  public static final long CHILDREN = 48;
  public static final long DICTIONARY = 56;
  public static final long RELEASE = 64;
  public static final long PRIVATE_DATA = 72;

  private RawArrowArray() {}

  /** Returns the number of elements. */
  public static long length(long array) {
    return Memory.getLong(array + LENGTH);
  }

  /** Writes {@code length}. */
  public static void setLength(long array, long value) {
    Memory.putLong(array + LENGTH, value);
  }

  /** Returns the number of nulls; -1 if it was not computed. */
  public static long nullCount(long array) {
    return Memory.getLong(array + NULL_COUNT);
  }

  /** Writes {@code null_count}. */
  public static void setNullCount(long array, long value) {
    Memory.putLong(array + NULL_COUNT, value);
  }

  /** Returns the number of elements to skip at the start of the buffers. */
  public static long offset(long array) {
    return Memory.getLong(array + OFFSET);
  }

  /** Writes {@code offset}. */
  public static void setOffset(long array, long value) {
    Memory.putLong(array + OFFSET, value);
  }

  /** Returns the number of buffers. */
  public static long nBuffers(long array) {
    return Memory.getLong(array + N_BUFFERS);
  }

  /** Writes {@code n_buffers}. */
  public static void setNBuffers(long array, long value) {
    Memory.putLong(array + N_BUFFERS, value);
  }

  /** Returns the number of children. */
  public static long nChildren(long array) {
    return Memory.getLong(array + N_CHILDREN);
  }

  /** Writes {@code n_children}. */
  public static void setNChildren(long array, long value) {
    Memory.putLong(array + N_CHILDREN, value);
  }

  /** Returns the list of {@code n_buffers} pointers. The list is in CPU memory; the buffers are on the device. */
  public static long buffers(long array) {
    return Memory.getLong(array + BUFFERS);
  }

  /** Writes {@code buffers}. */
  public static void setBuffers(long array, long value) {
    Memory.putLong(array + BUFFERS, value);
  }

  /**
   * Returns the list of {@code n_children} pointers to {@code ArrowArray}. May be NULL if the array has no children.
   */
  public static long children(long array) {
    return Memory.getLong(array + CHILDREN);
  }

  /** Writes {@code children}. */
  public static void setChildren(long array, long value) {
    Memory.putLong(array + CHILDREN, value);
  }

  /** Returns the values of a dictionary-encoded array; NULL for any other array. */
  public static long dictionary(long array) {
    return Memory.getLong(array + DICTIONARY);
  }

  /** Writes {@code dictionary}. */
  public static void setDictionary(long array, long value) {
    Memory.putLong(array + DICTIONARY, value);
  }

  /** Returns the release callback. It is NULL (0) if and only if the struct is released (OWN-01). */
  public static long release(long array) {
    return Memory.getLong(array + RELEASE);
  }

  /** Writes {@code release}. */
  public static void setRelease(long array, long value) {
    Memory.putLong(array + RELEASE, value);
  }

  /** Returns {@code private_data}, a pointer that only the producer uses. */
  public static long privateData(long array) {
    return Memory.getLong(array + PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(long array, long value) {
    Memory.putLong(array + PRIVATE_DATA, value);
  }

  /** Moves a struct: copies it bitwise, then sets {@code release} of the source to NULL, without a call (OWN-05). */
  public static void move(long from, long to) {
    Memory.copy(from, to, SIZE);
    setRelease(from, 0);
  }

  /** Returns the pointer at {@code buffers[index]}. */
  public static long buffer(long array, long index) {
    return Memory.getLong(buffers(array) + 8 * index);
  }

  /** Writes {@code buffers[index]}. */
  public static void setBuffer(long array, long index, long value) {
    Memory.putLong(buffers(array) + 8 * index, value);
  }

  /** Returns the pointer at {@code children[index]}. */
  public static long child(long array, long index) {
    return Memory.getLong(children(array) + 8 * index);
  }

  /** Writes {@code children[index]}. */
  public static void setChild(long array, long index, long value) {
    Memory.putLong(children(array) + 8 * index, value);
  }
}
