// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/**
 * Downcalls to native functions, named by their parameters: {@code P} is a pointer, {@code L} a {@code size_t} or
 * {@code int64_t}, {@code I} an {@code int}, {@code D} a {@code double}, {@code B} a {@code char}. The function is the
 * first argument. A function that returns an {@code AdbcStatusCode} has the error as its last parameter.
 */
final class Signatures {
  private static final Linker LINKER = Linker.nativeLinker();

  static final MethodHandle PP = status(ADDRESS, ADDRESS);
  static final MethodHandle PPP = status(ADDRESS, ADDRESS, ADDRESS);
  static final MethodHandle PPPP = status(ADDRESS, ADDRESS, ADDRESS, ADDRESS);
  static final MethodHandle PPPPP = status(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
  static final MethodHandle PPPPPP = status(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
  static final MethodHandle PPLP = status(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS);
  static final MethodHandle PPDP = status(ADDRESS, ADDRESS, JAVA_DOUBLE, ADDRESS);
  static final MethodHandle PPLPP = status(ADDRESS, ADDRESS, JAVA_LONG, ADDRESS, ADDRESS);
  static final MethodHandle PPPLP = status(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS);

  /** {@code AdbcConnectionGetObjects}. */
  static final MethodHandle PIPPPPPPP =
      status(ADDRESS, JAVA_INT, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);

  /** {@code AdbcConnectionGetStatistics}. */
  static final MethodHandle PPPPBPP = status(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_BYTE, ADDRESS, ADDRESS);

  /** {@code AdbcDriverInitFunc}. */
  static final MethodHandle IPP = status(JAVA_INT, ADDRESS, ADDRESS);

  /** {@code void release(struct*)}. */
  static final MethodHandle RELEASE = LINKER.downcallHandle(FunctionDescriptor.ofVoid(ADDRESS));

  /** {@code get_schema} and {@code get_next} of a stream, with addresses as arguments. */
  static final MethodHandle GET = LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

  /** {@code get_last_error} of a stream. */
  static final MethodHandle GET_LAST_ERROR = LINKER.downcallHandle(FunctionDescriptor.of(ADDRESS, ADDRESS));

  /** {@code AdbcErrorFromArrayStream}. */
  static final MethodHandle ERROR_FROM_STREAM = LINKER.downcallHandle(FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));

  /** {@code AdbcErrorGetDetailCount} and {@code AdbcErrorGetVendorCode}. */
  static final MethodHandle DETAIL_COUNT = LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, ADDRESS));

  /** {@code struct AdbcErrorDetail}, which {@code AdbcErrorGetDetail} returns by value. */
  static final StructLayout DETAIL =
      MemoryLayout.structLayout(ADDRESS.withName("key"), ADDRESS.withName("value"), JAVA_LONG.withName("value_length"))
          .withName("AdbcErrorDetail");

  /** {@code AdbcErrorGetDetail}. */
  static final MethodHandle GET_DETAIL = LINKER.downcallHandle(FunctionDescriptor.of(DETAIL, ADDRESS, JAVA_INT));

  private Signatures() {}

  private static MethodHandle status(MemoryLayout... parameters) {
    return LINKER.downcallHandle(FunctionDescriptor.of(JAVA_BYTE, parameters));
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
