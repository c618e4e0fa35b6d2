// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.adbc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/** The C struct {@code ArrowArrayStream}, as far as a statement needs it: pulled, drained, released. */
final class ArrowStream {
  static final StructLayout LAYOUT = AdbcAbi.pointers("get_schema get_next get_last_error release private_data");

  static final long GET_SCHEMA = offset(LAYOUT, "get_schema");
  static final long GET_NEXT = offset(LAYOUT, "get_next");
  static final long GET_LAST_ERROR = offset(LAYOUT, "get_last_error");
  static final long RELEASE = offset(LAYOUT, "release");
  static final long PRIVATE_DATA = offset(LAYOUT, "private_data");

  /** {@code ArrowArray}: five 64-bit counts, then five pointers, of which only release is looked at here. */
  private static final StructLayout ARRAY =
      MemoryLayout.structLayout(
          MemoryLayout.sequenceLayout(5, JAVA_LONG).withName("counts"),
          AdbcAbi.pointers("buffers children dictionary release private_data").withName("pointers"));

  private static final long ARRAY_RELEASE =
      ARRAY.byteOffset(PathElement.groupElement("pointers"), PathElement.groupElement("release"));

  static final long ARRAY_BYTES = ARRAY.byteSize();

  /** {@code ArrowSchema}: seven pointers and two counts. */
  static final long SCHEMA_BYTES = 72;

  private static final MethodHandle GET =
      Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
  private static final MethodHandle LAST_ERROR =
      Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(ADDRESS, ADDRESS));

  private ArrowStream() {}

  /** The 40 bytes of the struct at the start of a segment. */
  static MemorySegment of(MemorySegment segment) {
    if (!segment.isNative() || segment.byteSize() < LAYOUT.byteSize()) {
      throw new IllegalArgumentException(
          "an ArrowArrayStream is " + LAYOUT.byteSize() + " bytes of native memory, not " + segment);
    }
    return segment.asSlice(0, LAYOUT);
  }

  /** The struct that a callback was handed. */
  static MemorySegment at(MemorySegment address) {
    return address.reinterpret(LAYOUT.byteSize());
  }

  /** Calls {@code get_schema} or {@code get_next}; answers 0 or an errno. */
  static int get(MemorySegment stream, long function, MemorySegment out) {
    try {
      return (int) GET.invokeExact(stream.get(ADDRESS, function), stream, out);
    } catch (Throwable t) {
      throw AdbcAbi.unexpected(t);
    }
  }

  /** The C string that explains the last failure, or NULL. */
  static MemorySegment lastError(MemorySegment stream) {
    try {
      return (MemorySegment) LAST_ERROR.invokeExact(stream.get(ADDRESS, GET_LAST_ERROR), stream);
    } catch (Throwable t) {
      throw AdbcAbi.unexpected(t);
    }
  }

  static AdbcException failure(String operation, int errno, MemorySegment lastError) {
    return new AdbcException(operation, AdbcException.UNKNOWN, errno, "", AdbcAbi.string(lastError));
  }

  /** Pulls and releases all arrays that are left, if there is a stream at all. */
  static void drain(MemorySegment stream) {
    if (isReleased(stream)) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment array = arena.allocate(ARRAY);
      while (true) {
        int errno = get(stream, GET_NEXT, array);
        if (errno != 0) {
          throw failure("get_next of the result", errno, lastError(stream));
        }
        MemorySegment release = array.get(ADDRESS, ARRAY_RELEASE);
        if (release.equals(MemorySegment.NULL)) {
          return;
        }
        AdbcAbi.release(release, array);
      }
    }
  }

  static boolean isReleased(MemorySegment stream) {
    return stream.get(ADDRESS, RELEASE).equals(MemorySegment.NULL);
  }

  /** Releases the stream unless that was done. */
  static void release(MemorySegment stream) {
    if (!isReleased(stream)) {
      AdbcAbi.release(stream.get(ADDRESS, RELEASE), stream);
    }
  }

  private static long offset(StructLayout layout, String field) {
    return layout.byteOffset(PathElement.groupElement(field));
  }
}
