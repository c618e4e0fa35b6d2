// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.adbc.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.nio.charset.StandardCharsets;

/** The layout of {@code struct AdbcError}, the error of a call. In 1.0.0 it has only the first 32 bytes. */
final class ErrorStruct {
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
          ADDRESS.withName("message"),
          JAVA_INT.withName("vendor_code"),
          MemoryLayout.sequenceLayout(5, JAVA_BYTE).withName("sqlstate"),
          MemoryLayout.paddingLayout(7),
          ADDRESS.withName("release"),
          ADDRESS.withName("private_data"),
          ADDRESS.withName("private_driver"))
          .withName("AdbcError");

  /** A value of {@code vendor_code}: the struct has the last two fields, and there is no vendor code. */
  static final int PRIVATE_DATA = Integer.MIN_VALUE;

  private static final long MESSAGE = offset("message");
  private static final long VENDOR_CODE = offset("vendor_code");
  private static final long SQLSTATE = offset("sqlstate");
  private static final long RELEASE = offset("release");
  private static final long PRIVATE_DATA_OFFSET = offset("private_data");
  private static final long PRIVATE_DRIVER = offset("private_driver");

  private ErrorStruct() {}

  /** Allocates an error for a driver of 1.0.0: all zero. */
  static MemorySegment allocate(SegmentAllocator arena) {
    return arena.allocate(LAYOUT).fill((byte) 0);
  }

  /** Allocates an error for a driver of 1.1.0, which may add details. */
  static MemorySegment allocate(SegmentAllocator arena, MemorySegment driver) {
    MemorySegment error = allocate(arena);
    error.set(JAVA_INT, VENDOR_CODE, PRIVATE_DATA);
    error.set(ADDRESS, PRIVATE_DRIVER, driver);
    return error;
  }

  static String message(MemorySegment error) {
    return CText.read(error.get(ADDRESS, MESSAGE));
  }

  static int vendorCode(MemorySegment error) {
    return error.get(JAVA_INT, VENDOR_CODE);
  }

  /**
   * Returns whether the error has details. The driver's functions for details may be called only if the error has
   * private data of the driver.
   */
  static boolean hasDetails(MemorySegment error) {
    return vendorCode(error) == PRIVATE_DATA && error.get(ADDRESS, PRIVATE_DATA_OFFSET).address() != 0;
  }

  /** Returns the SQLSTATE: five characters without a terminating zero, or an empty string. */
  static String sqlState(MemorySegment error) {
    byte[] state = error.asSlice(SQLSTATE, 5).toArray(JAVA_BYTE);
    int length = 0;
    while (length < state.length && state[length] != 0) length++;
    return new String(state, 0, length, StandardCharsets.ISO_8859_1);
  }

  static MemorySegment release(MemorySegment error) {
    return error.get(ADDRESS, RELEASE);
  }

  private static long offset(String field) {
    return LAYOUT.byteOffset(PathElement.groupElement(field));
  }
}
