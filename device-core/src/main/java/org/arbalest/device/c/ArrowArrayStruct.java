// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.arbalest.device.internal.abi.Memory.int64;
import static org.arbalest.device.internal.abi.Memory.pointer;
import static org.arbalest.device.internal.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import org.arbalest.device.internal.abi.Memory;
import org.arbalest.device.internal.abi.RawArrowArray;

/**
 * The C struct {@code ArrowArray}: the buffers and children of one array.
 *
 * <p>The consumer owns the base struct. The producer owns all memory that the struct points to (OWN-12).
 */
public final class ArrowArrayStruct {
  /** The memory layout of the C struct. */
  public static final StructLayout LAYOUT =
      struct(
          "ArrowArray",
          int64("length"),
          int64("null_count"),
          int64("offset"),
          int64("n_buffers"),
          int64("n_children"),
          pointer("buffers"),
          pointer("children"),
          pointer("dictionary"),
          pointer("release"),
          pointer("private_data"));

  private static final long LENGTH = RawArrowArray.LENGTH;
  private static final long NULL_COUNT = RawArrowArray.NULL_COUNT;
  private static final long OFFSET = RawArrowArray.OFFSET;
  private static final long N_BUFFERS = RawArrowArray.N_BUFFERS;
  private static final long N_CHILDREN = RawArrowArray.N_CHILDREN;
  private static final long BUFFERS = RawArrowArray.BUFFERS;
  private static final long CHILDREN = RawArrowArray.CHILDREN;
  private static final long DICTIONARY = RawArrowArray.DICTIONARY;
  private static final long RELEASE = RawArrowArray.RELEASE;
  private static final long PRIVATE_DATA = RawArrowArray.PRIVATE_DATA;

  private ArrowArrayStruct() {}

  /**
   * Allocates memory for one struct, filled with zeros, which is the state of a released struct. An export or native
   * code then writes to it.
   *
   * <p>The arena owns the memory, and must stay open as long as the struct is in use.
   */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** Returns the number of elements. */
  public static long length(MemorySegment array) {
    return array.get(JAVA_LONG, LENGTH);
  }

  /** Writes {@code length}. */
  public static void setLength(MemorySegment array, long value) {
    array.set(JAVA_LONG, LENGTH, value);
  }

  /** Returns the number of nulls; -1 if it was not computed. */
  public static long nullCount(MemorySegment array) {
    return array.get(JAVA_LONG, NULL_COUNT);
  }

  /** Writes {@code null_count}. */
  public static void setNullCount(MemorySegment array, long value) {
    array.set(JAVA_LONG, NULL_COUNT, value);
  }

  /** Returns the number of elements to skip at the start of the buffers. */
  public static long offset(MemorySegment array) {
    return array.get(JAVA_LONG, OFFSET);
  }

  /** Writes {@code offset}. */
  public static void setOffset(MemorySegment array, long value) {
    array.set(JAVA_LONG, OFFSET, value);
  }

  /** Returns the number of buffers. */
  public static long nBuffers(MemorySegment array) {
    return array.get(JAVA_LONG, N_BUFFERS);
  }

  /** Writes {@code n_buffers}. */
  public static void setNBuffers(MemorySegment array, long value) {
    array.set(JAVA_LONG, N_BUFFERS, value);
  }

  /** Returns the number of children. */
  public static long nChildren(MemorySegment array) {
    return array.get(JAVA_LONG, N_CHILDREN);
  }

  /** Writes {@code n_children}. */
  public static void setNChildren(MemorySegment array, long value) {
    array.set(JAVA_LONG, N_CHILDREN, value);
  }

  /** Returns the list of {@code n_buffers} pointers. The list is in CPU memory; the buffers are on the device. */
  public static MemorySegment buffers(MemorySegment array) {
    return array.get(ADDRESS, BUFFERS);
  }

  /** Writes {@code buffers}. */
  public static void setBuffers(MemorySegment array, MemorySegment value) {
    array.set(ADDRESS, BUFFERS, value);
  }

  /**
   * Returns the list of {@code n_children} pointers to {@code ArrowArray}. May be NULL if the array has no children.
   *
   * <p>To read the list, call {@code reinterpret(8 * nChildren)} on it. To read a child, reinterpret it with the size
   * of its layout.
   */
  public static MemorySegment children(MemorySegment array) {
    return array.get(ADDRESS, CHILDREN);
  }

  /** Writes {@code children}. */
  public static void setChildren(MemorySegment array, MemorySegment value) {
    array.set(ADDRESS, CHILDREN, value);
  }

  /** Returns the values of a dictionary-encoded array; NULL for any other array. */
  public static MemorySegment dictionary(MemorySegment array) {
    return array.get(ADDRESS, DICTIONARY);
  }

  /** Writes {@code dictionary}. */
  public static void setDictionary(MemorySegment array, MemorySegment value) {
    array.set(ADDRESS, DICTIONARY, value);
  }

  /** Returns the release callback. It is NULL if and only if the struct is released (OWN-01). */
  public static MemorySegment releaseCallback(MemorySegment array) {
    return array.get(ADDRESS, RELEASE);
  }

  /** Writes {@code release}. */
  public static void setReleaseCallback(MemorySegment array, MemorySegment value) {
    array.set(ADDRESS, RELEASE, value);
  }

  /** Returns {@code private_data}, a pointer that only the producer uses. */
  public static MemorySegment privateData(MemorySegment array) {
    return array.get(ADDRESS, PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(MemorySegment array, MemorySegment value) {
    array.set(ADDRESS, PRIVATE_DATA, value);
  }

  /**
   * Moves a struct: copies it bitwise, then sets {@code release} of the source to NULL, without a call (OWN-05).
   *
   * @throws IllegalArgumentException if the structs overlap, or {@code from} is in read-only memory
   */
  public static void move(MemorySegment from, MemorySegment to) {
    if (from.asOverlappingSlice(to).isPresent())
      throw new IllegalArgumentException("a struct cannot be moved onto itself");
    if (from.isReadOnly()) throw new IllegalArgumentException(
        "a struct in read-only memory cannot be moved: it could not be marked as released");
    MemorySegment.copy(from, 0, to, 0, LAYOUT.byteSize());
    setReleaseCallback(from, MemorySegment.NULL);
  }
}
