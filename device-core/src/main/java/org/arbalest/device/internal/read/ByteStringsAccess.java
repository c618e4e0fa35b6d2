// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.internal.read;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.arbalest.device.columns.ByteStringView;
import org.jspecify.annotations.Nullable;

/**
 * Gives builders the bytes of a {@link ByteStringView} in place. The public API does not, because the segment keeps
 * neither the view nor its handle alive.
 */
public final class ByteStringsAccess {
  /** Set by the static initializer of {@link ByteStringView}, before any view exists. */
  private static @Nullable Reader reader;

  private ByteStringsAccess() {}

  /** The access that only {@link ByteStringView} can give. */
  public interface Reader {
    MemorySegment bytesAt(ByteStringView values, long row);
  }

  public static void set(Reader access) {
    reader = access;
  }

  /** Returns the bytes of a value in place. They are valid while the view is reachable and its handle is open. */
  public static MemorySegment bytesAt(ByteStringView values, long row) {
    return Objects.requireNonNull(reader).bytesAt(values, row);
  }
}
