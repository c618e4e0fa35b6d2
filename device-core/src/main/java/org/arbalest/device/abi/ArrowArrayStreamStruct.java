// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.abi;

import static org.arbalest.device.abi.Memory.byteOffset;
import static org.arbalest.device.abi.Memory.pointer;
import static org.arbalest.device.abi.Memory.struct;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;

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

  /** Its size in bytes. */
  public static final long SIZE = LAYOUT.byteSize();

  private static final long GET_SCHEMA = byteOffset(LAYOUT, "get_schema");
  private static final long GET_NEXT = byteOffset(LAYOUT, "get_next");
  private static final long GET_LAST_ERROR = byteOffset(LAYOUT, "get_last_error");
  private static final long RELEASE = byteOffset(LAYOUT, "release");
  private static final long PRIVATE_DATA = byteOffset(LAYOUT, "private_data");

  private ArrowArrayStreamStruct() {}

  /** Memory for one: zeroed, and so a released struct, for an export of ours or for C to write. It is the arena's, and must outlast the struct. */
  public static MemorySegment allocate(SegmentAllocator arena) {
    return Memory.allocate(arena, LAYOUT);
  }

  /** {@code int (*)(struct ArrowArrayStream*, struct ArrowSchema* out)}. */
  public static long getSchema(long stream) {
    return Memory.getLong(stream + GET_SCHEMA);
  }

  /** Writes {@code get_schema}. */
  public static void setGetSchema(long stream, long value) {
    Memory.putLong(stream + GET_SCHEMA, value);
  }

  /** {@code int (*)(struct ArrowArrayStream*, struct ArrowArray* out)}; a released {@code out} is the end. */
  public static long getNext(long stream) {
    return Memory.getLong(stream + GET_NEXT);
  }

  /** Writes {@code get_next}. */
  public static void setGetNext(long stream, long value) {
    Memory.putLong(stream + GET_NEXT, value);
  }

  /** {@code const char* (*)(struct ArrowArrayStream*)}; only after an error. */
  public static long getLastError(long stream) {
    return Memory.getLong(stream + GET_LAST_ERROR);
  }

  /** Writes {@code get_last_error}. */
  public static void setGetLastError(long stream, long value) {
    Memory.putLong(stream + GET_LAST_ERROR, value);
  }

  /** The release callback; NULL (0) if and only if the struct is released (OWN-01). */
  public static long release(long stream) {
    return Memory.getLong(stream + RELEASE);
  }

  /** Writes {@code release}. */
  public static void setRelease(long stream, long value) {
    Memory.putLong(stream + RELEASE, value);
  }

  /** The producer's own pointer; nobody else's business. */
  public static long privateData(long stream) {
    return Memory.getLong(stream + PRIVATE_DATA);
  }

  /** Writes {@code private_data}. */
  public static void setPrivateData(long stream, long value) {
    Memory.putLong(stream + PRIVATE_DATA, value);
  }

  /** Moves the struct: a bitwise copy, then {@code release = NULL} at the source, without a call (OWN-05). */
  public static void move(long from, long to) {
    Memory.copy(from, to, SIZE);
    setRelease(from, 0);
  }
}
