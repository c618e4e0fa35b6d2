// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.spi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.arbalest.device.DeviceException;

/**
 * A handle of 64 bytes, as the runtimes of GPUs have for shared memory and events, behind a byte with its form. See
 * {@link ProcessSharing}.
 */
public final class SharedHandle {
  /** The size of the runtime's handle in bytes. */
  public static final int BYTES = 64;

  private SharedHandle() {}

  /**
   * Returns the bytes that another process needs to open a handle.
   *
   * @param form the form of the handle, at least 1
   * @param handle the runtime's handle
   */
  public static byte[] of(int form, MemorySegment handle) {
    byte[] bytes = new byte[1 + BYTES];
    bytes[0] = (byte) form;
    MemorySegment.copy(handle, JAVA_BYTE, 0, bytes, 1, BYTES);
    return bytes;
  }

  /**
   * Returns the form of a handle that another process sent.
   *
   * @param handle any bytes; they are checked
   * @param forms the number of forms that the driver knows
   * @return 1 to {@code forms}
   * @throws DeviceException with {@code EINVAL} if the bytes are not a handle, or have another form
   */
  public static int form(byte[] handle, int forms) {
    if (handle.length == 1 + BYTES && handle[0] >= 1 && handle[0] <= forms) return handle[0];
    String form = handle.length == 0 ? "" : " of form " + handle[0];
    throw DeviceException
        .invalid("a handle" + form + " with " + handle.length + " bytes is unknown to this release");
  }

  /** Copies the runtime's bytes of a handle that {@link #form} has checked. */
  public static MemorySegment segment(byte[] handle, Arena arena) {
    MemorySegment segment = arena.allocate(BYTES, 8);
    MemorySegment.copy(handle, 1, segment, JAVA_BYTE, 0, BYTES);
    return segment;
  }
}
