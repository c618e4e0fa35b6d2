// SPDX-License-Identifier: Apache-2.0
package org.arbalest.samples.adbc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.nio.charset.StandardCharsets;

/** The C struct {@code AdbcError}: zeroed before a call, read and released after it, whatever the status was. */
final class AdbcError {
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
          ADDRESS.withName("message"),
          JAVA_INT.withName("vendor_code"),
          MemoryLayout.sequenceLayout(5, JAVA_BYTE).withName("sqlstate"),
          MemoryLayout.paddingLayout(7),
          ADDRESS.withName("release"),
          ADDRESS.withName("private_data"),
          ADDRESS.withName("private_driver"));

  /** In {@code vendor_code} before a call: the struct has the two fields that 1.1.0 added. */
  static final int HAS_PRIVATE_DATA = Integer.MIN_VALUE;

  private static final long MESSAGE = offset("message");
  private static final long VENDOR_CODE = offset("vendor_code");
  private static final long SQLSTATE = offset("sqlstate");
  private static final long RELEASE = offset("release");

  private AdbcError() {}

  static MemorySegment allocate(Arena arena) {
    MemorySegment error = arena.allocate(LAYOUT);
    error.set(JAVA_INT, VENDOR_CODE, HAS_PRIVATE_DATA);
    return error;
  }

  /** Throws what the call reported, if it failed; the struct is released either way. */
  static void check(String operation, int status, MemorySegment error) {
    try {
      if (status != AdbcException.OK) {
        String message = AdbcAbi.string(error.get(ADDRESS, MESSAGE));
        throw new AdbcException(operation, status, error.get(JAVA_INT, VENDOR_CODE), sqlState(error), message);
      }
    } finally {
      discard(error);
    }
  }

  /** Releases what the driver put into the struct, if anything. */
  static void discard(MemorySegment error) {
    MemorySegment release = error.get(ADDRESS, RELEASE);
    if (!release.equals(MemorySegment.NULL)) {
      AdbcAbi.release(release, error);
    }
  }

  /** All five characters are there, or none: the field has no terminating zero. */
  private static String sqlState(MemorySegment error) {
    byte[] state = error.asSlice(SQLSTATE, 5).toArray(JAVA_BYTE);
    return state[0] == 0 ? "" : new String(state, StandardCharsets.ISO_8859_1);
  }

  private static long offset(String field) {
    return LAYOUT.byteOffset(PathElement.groupElement(field));
  }
}
