// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.c;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static org.arbalest.device.internal.abi.Memory.byteOffset;
import static org.arbalest.device.internal.abi.Memory.pointer;
import static org.arbalest.device.internal.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import org.arbalest.device.internal.abi.Memory;

/** {@code struct ArrowArrayStream}: a blocking, pull-style source of arrays of one schema. */
public final class ArrowArrayStreamStruct {
  /** The struct as the C compiler lays it out. */
  public static final StructLayout LAYOUT =
      struct(
          "ArrowArrayStream",
          pointer("get_schema"),
          pointer("get_next"),
          pointer("get_last_error"),
          pointer("release"),
          pointer("private_data"));

  private static final long GET_SCHEMA = byteOffset(LAYOUT, "get_schema");
  private static final long GET_NEXT = byteOffset(LAYOUT, "get_next");
  private static final long GET_LAST_ERROR = byteOffset(LAYOUT, "get_last_error");
  private static final long RELEASE = byteOffset(LAYOUT, "release");
  private static final long PRIVATE_DATA = byteOffset(LAYOUT, "private_data");

  private ArrowArrayStreamStruct() {}

  /**
   * Memory for one: zeroed, and so a released struct, for an export of ours or for C to write. It is the arena's, and
   * must outlast the struct.
   */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** {@code int (*)(struct ArrowArrayStream*, struct ArrowSchema* out)}. */
  public static MemorySegment getSchema(MemorySegment stream) {
    return stream.get(ADDRESS, GET_SCHEMA);
  }

  /** Writes {@code get_schema}. */
  public static void setGetSchema(MemorySegment stream, MemorySegment value) {
    stream.set(ADDRESS, GET_SCHEMA, value);
  }

  /** {@code int (*)(struct ArrowArrayStream*, struct ArrowArray* out)}; a released {@code out} is the end. */
  public static MemorySegment getNext(MemorySegment stream) {
    return stream.get(ADDRESS, GET_NEXT);
  }

  /** Writes {@code get_next}. */
  public static void setGetNext(MemorySegment stream, MemorySegment value) {
    stream.set(ADDRESS, GET_NEXT, value);
  }

  /** {@code const char* (*)(struct ArrowArrayStream*)}; only after an error. */
  public static MemorySegment getLastError(MemorySegment stream) {
    return stream.get(ADDRESS, GET_LAST_ERROR);
  }

  /** Writes {@code get_last_error}. */
  public static void setGetLastError(MemorySegment stream, MemorySegment value) {
    stream.set(ADDRESS, GET_LAST_ERROR, value);
  }

  /** The release callback; NULL if and only if the struct is released (OWN-01). */
  public static MemorySegment release(MemorySegment stream) {
    return stream.get(ADDRESS, RELEASE);
  }

  /** Writes {@code release}. */
  public static void setRelease(MemorySegment stream, MemorySegment value) {
    stream.set(ADDRESS, RELEASE, value);
  }

  /** The producer's own pointer; nobody else's business. */
  public static MemorySegment privateData(MemorySegment stream) {
    return stream.get(ADDRESS, PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(MemorySegment stream, MemorySegment value) {
    stream.set(ADDRESS, PRIVATE_DATA, value);
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
