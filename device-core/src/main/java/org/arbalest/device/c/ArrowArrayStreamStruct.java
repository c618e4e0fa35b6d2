// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static org.arbalest.device.internal.abi.Memory.pointer;
import static org.arbalest.device.internal.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import org.arbalest.device.internal.abi.Memory;
import org.arbalest.device.internal.abi.RawArrowArrayStream;

/** The C struct {@code ArrowArrayStream}: a blocking, pull-style source of arrays that have one schema. */
public final class ArrowArrayStreamStruct {
  /** The memory layout of the C struct. */
  public static final StructLayout LAYOUT =
      struct(
          "ArrowArrayStream",
          pointer("get_schema"),
          pointer("get_next"),
          pointer("get_last_error"),
          pointer("release"),
          pointer("private_data"));

  private static final long GET_SCHEMA = RawArrowArrayStream.GET_SCHEMA;
  private static final long GET_NEXT = RawArrowArrayStream.GET_NEXT;
  private static final long GET_LAST_ERROR = RawArrowArrayStream.GET_LAST_ERROR;
  private static final long RELEASE = RawArrowArrayStream.RELEASE;
  private static final long PRIVATE_DATA = RawArrowArrayStream.PRIVATE_DATA;

  private ArrowArrayStreamStruct() {}

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
   * Returns the function pointer {@code get_schema},
   * {@code int (*)(struct ArrowArrayStream*, struct ArrowSchema* out)}.
   */
  public static MemorySegment getSchemaCallback(MemorySegment stream) {
    return stream.get(ADDRESS, GET_SCHEMA);
  }

  /** Writes {@code get_schema}. */
  public static void setGetSchemaCallback(MemorySegment stream, MemorySegment value) {
    stream.set(ADDRESS, GET_SCHEMA, value);
  }

  /**
   * Returns the function pointer {@code get_next}, {@code int (*)(struct ArrowArrayStream*, struct ArrowArray* out)}. A
   * released {@code out} means the end of the stream.
   */
  public static MemorySegment getNextCallback(MemorySegment stream) {
    return stream.get(ADDRESS, GET_NEXT);
  }

  /** Writes {@code get_next}. */
  public static void setGetNextCallback(MemorySegment stream, MemorySegment value) {
    stream.set(ADDRESS, GET_NEXT, value);
  }

  /**
   * Returns the function pointer {@code get_last_error}, {@code const char* (*)(struct ArrowArrayStream*)}. The
   * consumer calls it only after an error.
   */
  public static MemorySegment getLastErrorCallback(MemorySegment stream) {
    return stream.get(ADDRESS, GET_LAST_ERROR);
  }

  /** Writes {@code get_last_error}. */
  public static void setGetLastErrorCallback(MemorySegment stream, MemorySegment value) {
    stream.set(ADDRESS, GET_LAST_ERROR, value);
  }

  /** Returns the release callback. It is NULL if and only if the struct is released (OWN-01). */
  public static MemorySegment releaseCallback(MemorySegment stream) {
    return stream.get(ADDRESS, RELEASE);
  }

  /** Writes {@code release}. */
  public static void setReleaseCallback(MemorySegment stream, MemorySegment value) {
    stream.set(ADDRESS, RELEASE, value);
  }

  /** Returns {@code private_data}, a pointer that only the producer uses. */
  public static MemorySegment privateData(MemorySegment stream) {
    return stream.get(ADDRESS, PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(MemorySegment stream, MemorySegment value) {
    stream.set(ADDRESS, PRIVATE_DATA, value);
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
