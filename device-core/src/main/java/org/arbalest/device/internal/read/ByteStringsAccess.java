// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.arbalest.device.columns.ByteStringView;
import org.jspecify.annotations.Nullable;

/**
 * Lets builders read the bytes of a {@link ByteStringView} in place, which users may not: the segment outlives nothing.
 */
public final class ByteStringsAccess {
  /** Set by {@link ByteStringView}, when that is initialized: before there is one. */
  private static @Nullable Reader reader;

  private ByteStringsAccess() {}

  /** What {@link ByteStringView} alone can do. */
  public interface Reader {
    MemorySegment bytesAt(ByteStringView values, long row);
  }

  public static void set(Reader access) {
    reader = access;
  }

  /** Returns a value's bytes where they are, for as long as the view is reachable and its handle is open. */
  public static MemorySegment bytesAt(ByteStringView values, long row) {
    return Objects.requireNonNull(reader).bytesAt(values, row);
  }
}
