// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.arbalest.device.internal.abi.Memory.byteOffset;
import static org.arbalest.device.internal.abi.Memory.int64;
import static org.arbalest.device.internal.abi.Memory.pointer;
import static org.arbalest.device.internal.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import org.arbalest.device.internal.abi.Memory;

/**
 * {@code struct ArrowArray}: the buffers and children of one array. The base struct belongs to the consumer, all that
 * it points to belongs to the producer (OWN-12).
 */
public final class ArrowArrayStruct {
  /** The struct as the C compiler lays it out. */
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

  private static final long LENGTH = byteOffset(LAYOUT, "length");
  private static final long NULL_COUNT = byteOffset(LAYOUT, "null_count");
  private static final long OFFSET = byteOffset(LAYOUT, "offset");
  private static final long N_BUFFERS = byteOffset(LAYOUT, "n_buffers");
  private static final long N_CHILDREN = byteOffset(LAYOUT, "n_children");
  private static final long BUFFERS = byteOffset(LAYOUT, "buffers");
  private static final long CHILDREN = byteOffset(LAYOUT, "children");
  private static final long DICTIONARY = byteOffset(LAYOUT, "dictionary");
  private static final long RELEASE = byteOffset(LAYOUT, "release");
  private static final long PRIVATE_DATA = byteOffset(LAYOUT, "private_data");

  private ArrowArrayStruct() {}

  /**
   * Memory for one: zeroed, and so a released struct, for an export of ours or for C to write. It is the arena's, and
   * must outlast the struct.
   */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** The number of elements. */
  public static long length(MemorySegment array) {
    return array.get(JAVA_LONG, LENGTH);
  }

  /** Writes {@code length}. */
  public static void setLength(MemorySegment array, long value) {
    array.set(JAVA_LONG, LENGTH, value);
  }

  /** The number of nulls, or -1 if it was not computed. */
  public static long nullCount(MemorySegment array) {
    return array.get(JAVA_LONG, NULL_COUNT);
  }

  /** Writes {@code null_count}. */
  public static void setNullCount(MemorySegment array, long value) {
    array.set(JAVA_LONG, NULL_COUNT, value);
  }

  /** The number of elements to skip at the start of the buffers. */
  public static long offset(MemorySegment array) {
    return array.get(JAVA_LONG, OFFSET);
  }

  /** Writes {@code offset}. */
  public static void setOffset(MemorySegment array, long value) {
    array.set(JAVA_LONG, OFFSET, value);
  }

  /** The number of buffers. */
  public static long nBuffers(MemorySegment array) {
    return array.get(JAVA_LONG, N_BUFFERS);
  }

  /** Writes {@code n_buffers}. */
  public static void setNBuffers(MemorySegment array, long value) {
    array.set(JAVA_LONG, N_BUFFERS, value);
  }

  /** The number of children. */
  public static long nChildren(MemorySegment array) {
    return array.get(JAVA_LONG, N_CHILDREN);
  }

  /** Writes {@code n_children}. */
  public static void setNChildren(MemorySegment array, long value) {
    array.set(JAVA_LONG, N_CHILDREN, value);
  }

  /** A list of {@code n_buffers} pointers; the list is in CPU memory, what it points to on the device. */
  public static MemorySegment buffers(MemorySegment array) {
    return array.get(ADDRESS, BUFFERS);
  }

  /** Writes {@code buffers}. */
  public static void setBuffers(MemorySegment array, MemorySegment value) {
    array.set(ADDRESS, BUFFERS, value);
  }

  /**
   * A list of {@code n_children} pointers to ArrowArray; may be NULL if there are none.
   * {@code reinterpret(8 * nChildren)} makes it readable, and a child with its layout\'s size.
   */
  public static MemorySegment children(MemorySegment array) {
    return array.get(ADDRESS, CHILDREN);
  }

  /** Writes {@code children}. */
  public static void setChildren(MemorySegment array, MemorySegment value) {
    array.set(ADDRESS, CHILDREN, value);
  }

  /** The values of a dictionary-encoded array, or NULL. */
  public static MemorySegment dictionary(MemorySegment array) {
    return array.get(ADDRESS, DICTIONARY);
  }

  /** Writes {@code dictionary}. */
  public static void setDictionary(MemorySegment array, MemorySegment value) {
    array.set(ADDRESS, DICTIONARY, value);
  }

  /** The release callback; NULL if and only if the struct is released (OWN-01). */
  public static MemorySegment release(MemorySegment array) {
    return array.get(ADDRESS, RELEASE);
  }

  /** Writes {@code release}. */
  public static void setRelease(MemorySegment array, MemorySegment value) {
    array.set(ADDRESS, RELEASE, value);
  }

  /** The producer's own pointer; nobody else's business. */
  public static MemorySegment privateData(MemorySegment array) {
    return array.get(ADDRESS, PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(MemorySegment array, MemorySegment value) {
    array.set(ADDRESS, PRIVATE_DATA, value);
  }

  /** Moves the struct: a bitwise copy, then {@code release = NULL} at the source, without a call (OWN-05). */
  public static void move(MemorySegment from, MemorySegment to) {
    if (from.asOverlappingSlice(to).isPresent())
      throw new IllegalArgumentException("a struct is not moved to where it is");
    if (from.isReadOnly()) throw new IllegalArgumentException(
        "a struct in read-only memory cannot be moved: it could not be marked as released");
    MemorySegment.copy(from, 0, to, 0, LAYOUT.byteSize());
    setRelease(from, MemorySegment.NULL);
  }
}
