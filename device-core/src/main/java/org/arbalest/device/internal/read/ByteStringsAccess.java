// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.arbalest.device.columns.ByteStrings;
import org.jspecify.annotations.Nullable;

/** Lets builders read the bytes of a {@link ByteStrings} in place, which users may not: the segment outlives nothing. */
public final class ByteStringsAccess {
  /** Set by {@link ByteStrings}, when that is initialized: before there is one. */
  private static @Nullable Reader reader;

  private ByteStringsAccess() {}

  /** What {@link ByteStrings} alone can do. */
  public interface Reader {
    MemorySegment bytesAt(ByteStrings values, long row);
  }

  public static void set(Reader access) {
    reader = access;
  }

  /** Returns a value's bytes where they are, for as long as the view is reachable and its handle is open. */
  public static MemorySegment bytesAt(ByteStrings values, long row) {
    return Objects.requireNonNull(reader).bytesAt(values, row);
  }
}
