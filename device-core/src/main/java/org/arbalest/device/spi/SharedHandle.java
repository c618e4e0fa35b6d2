// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;

/**
 * A handle of 64 bytes, as GPUs' runtimes have them for all that two processes share, behind a byte that says in which
 * form it is. See {@link ProcessSharing}.
 */
public final class SharedHandle {
  /** How many bytes the runtime's handle has. */
  public static final int BYTES = 64;

  private SharedHandle() {}

  /** What another process opens something by. */
  public static byte[] of(int form, MemorySegment handle) {
    byte[] bytes = new byte[1 + BYTES];
    bytes[0] = (byte) form;
    MemorySegment.copy(handle, JAVA_BYTE, 0, bytes, 1, BYTES);
    return bytes;
  }

  /**
   * The form of a handle from outside.
   *
   * @return 1 to {@code forms}
   * @throws DeviceException with {@code EINVAL} if it is no handle, or of another form
   */
  public static int form(byte[] handle, int forms) {
    if (handle.length == 1 + BYTES && handle[0] >= 1 && handle[0] <= forms) return handle[0];
    String form = handle.length == 0 ? "" : " of form " + handle[0];
    throw DeviceException
        .invalid("a handle" + form + " with " + handle.length + " bytes is none that this release knows");
  }

  /** The runtime's bytes, of a handle whose {@link #form} was asked for. */
  public static MemorySegment segment(byte[] handle, Arena arena) {
    MemorySegment segment = arena.allocate(BYTES, 8);
    MemorySegment.copy(handle, 1, segment, JAVA_BYTE, 0, BYTES);
    return segment;
  }
}
