// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.MemorySegment.NULL;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/**
 * Calls of native functions, named by their parameters: {@code p} is a pointer, {@code l} a {@code size_t} or
 * {@code int64_t}, {@code i} an {@code int}, {@code d} a {@code double}, {@code b} a {@code char}. The function is the
 * first argument. A function that returns an {@code AdbcStatusCode} has the error as its last parameter.
 *
 * <p>Each type of function takes milliseconds to link. Therefore functions of up to six pointers and integers share one
 * handle: a function with fewer parameters ignores the other arguments. The other handles are linked at their first
 * use.
 */
final class Signatures {
  /**
   * Calls a function of pointers and integers, which are passed as pointers. A smaller result is in the low bits of the
   * returned number, and a function without a result returns an arbitrary number.
   */
  private static final MethodHandle CALL = downcall(
      FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));

  private Signatures() {}

  private static MethodHandle downcall(FunctionDescriptor type) {
    return Linker.nativeLinker().downcallHandle(type);
  }

  private static MemorySegment number(long value) {
    return MemorySegment.ofAddress(value);
  }

  static byte pp(MemorySegment function, MemorySegment a, MemorySegment error) throws Throwable {
    return (byte) (long) CALL.invokeExact(function, a, error, NULL, NULL, NULL, NULL);
  }

  static byte ppp(MemorySegment function, MemorySegment a, MemorySegment b, MemorySegment error) throws Throwable {
    return (byte) (long) CALL.invokeExact(function, a, b, error, NULL, NULL, NULL);
  }

  static byte pppp(MemorySegment function, MemorySegment a, MemorySegment b, MemorySegment c, MemorySegment error)
      throws Throwable {
    return (byte) (long) CALL.invokeExact(function, a, b, c, error, NULL, NULL);
  }

  static byte ppppp(MemorySegment function, MemorySegment a, MemorySegment b, MemorySegment c, MemorySegment d,
      MemorySegment error) throws Throwable {
    return (byte) (long) CALL.invokeExact(function, a, b, c, d, error, NULL);
  }

  static byte pppppp(MemorySegment function, MemorySegment a, MemorySegment b, MemorySegment c, MemorySegment d,
      MemorySegment e, MemorySegment error) throws Throwable {
    return (byte) (long) CALL.invokeExact(function, a, b, c, d, e, error);
  }

  static byte pplp(MemorySegment function, MemorySegment a, MemorySegment b, long c, MemorySegment error)
      throws Throwable {
    return pppp(function, a, b, number(c), error);
  }

  static byte pplpp(MemorySegment function, MemorySegment a, MemorySegment b, long c, MemorySegment d,
      MemorySegment error) throws Throwable {
    return ppppp(function, a, b, number(c), d, error);
  }

  static byte ppplp(MemorySegment function, MemorySegment a, MemorySegment b, MemorySegment c, long d,
      MemorySegment error) throws Throwable {
    return ppppp(function, a, b, c, number(d), error);
  }

  static byte ipp(MemorySegment function, int a, MemorySegment b, MemorySegment error) throws Throwable {
    return ppp(function, number(a), b, error);
  }

  /** Calls {@code void release(struct*)}. */
  static void release(MemorySegment function, MemorySegment struct) throws Throwable {
    long _ = (long) CALL.invokeExact(function, struct, NULL, NULL, NULL, NULL, NULL);
  }

  /** Calls {@code get_schema} or {@code get_next} of a stream, with addresses as arguments. */
  static int get(MemorySegment function, long stream, long out) throws Throwable {
    return (int) (long) CALL.invokeExact(function, number(stream), number(out), NULL, NULL, NULL, NULL);
  }

  /** Calls {@code get_last_error} of a stream. */
  static MemorySegment getLastError(MemorySegment function, MemorySegment stream) throws Throwable {
    return number((long) CALL.invokeExact(function, stream, NULL, NULL, NULL, NULL, NULL));
  }

  /** Calls {@code AdbcErrorFromArrayStream}. */
  static MemorySegment errorFromStream(MemorySegment function, MemorySegment stream, MemorySegment status)
      throws Throwable {
    return number((long) CALL.invokeExact(function, stream, status, NULL, NULL, NULL, NULL));
  }

  /** Calls {@code AdbcErrorGetDetailCount} or {@code AdbcErrorGetVendorCode}. */
  static int detailCount(MemorySegment function, MemorySegment error) throws Throwable {
    return (int) (long) CALL.invokeExact(function, error, NULL, NULL, NULL, NULL, NULL);
  }

  private static final class WithDouble {
    static final MethodHandle CALL = downcall(FunctionDescriptor.of(JAVA_BYTE, ADDRESS, ADDRESS, JAVA_DOUBLE, ADDRESS));
  }

  static byte ppdp(MemorySegment function, MemorySegment a, MemorySegment b, double c, MemorySegment error)
      throws Throwable {
    return (byte) WithDouble.CALL.invokeExact(function, a, b, c, error);
  }

  private static final class GetObjects {
    static final MethodHandle CALL = downcall(FunctionDescriptor.of(JAVA_BYTE, ADDRESS, JAVA_INT, ADDRESS, ADDRESS,
        ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
  }

  /** Calls {@code AdbcConnectionGetObjects}. */
  static byte pippppppp(MemorySegment function, MemorySegment a, int b, MemorySegment c, MemorySegment d,
      MemorySegment e, MemorySegment f, MemorySegment g, MemorySegment h, MemorySegment error) throws Throwable {
    return (byte) GetObjects.CALL.invokeExact(function, a, b, c, d, e, f, g, h, error);
  }

  private static final class Statistics {
    static final MethodHandle CALL = downcall(
        FunctionDescriptor.of(JAVA_BYTE, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_BYTE, ADDRESS, ADDRESS));
  }

  /** Calls {@code AdbcConnectionGetStatistics}. */
  static byte ppppbpp(MemorySegment function, MemorySegment a, MemorySegment b, MemorySegment c, MemorySegment d,
      byte e, MemorySegment f, MemorySegment error) throws Throwable {
    return (byte) Statistics.CALL.invokeExact(function, a, b, c, d, e, f, error);
  }

  static final class Detail {
    /** {@code struct AdbcErrorDetail}, which the function returns by value. */
    static final StructLayout LAYOUT =
        MemoryLayout.structLayout(ADDRESS.withName("key"), ADDRESS.withName("value"),
            JAVA_LONG.withName("value_length")).withName("AdbcErrorDetail");

    static final MethodHandle CALL = downcall(FunctionDescriptor.of(LAYOUT, ADDRESS, JAVA_INT));
  }

  /** Calls {@code AdbcErrorGetDetail}. Returns a {@code struct AdbcErrorDetail}. */
  static MemorySegment getDetail(MemorySegment function, SegmentAllocator allocator, MemorySegment error, int index)
      throws Throwable {
    return (MemorySegment) Detail.CALL.invokeExact(function, allocator, error, index);
  }

  /**
   * Returns the exception for a throwable of a downcall. It is an error in the Java code, because native code cannot
   * throw.
   */
  static RuntimeException unexpected(Throwable t) {
    if (t instanceof Error e) throw e;
    return t instanceof RuntimeException e ? e : new IllegalStateException("a downcall threw a checked exception", t);
  }
}
