// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc;

import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.jspecify.annotations.Nullable;

/**
 * Malformed or unsupported IPC input. The message has the position, the fault, and the numbers. The {@link #errno}
 * is {@code EINVAL}.
 */
public final class IpcException extends DeviceException {
  private static final long serialVersionUID = 1L;

  private final long position;

  /**
   * Creates an error.
   *
   * @param position the position in the file or stream, in bytes from its start
   * @param fault the fault, with the numbers
   */
  public IpcException(long position, String fault) {
    this(position, fault, null);
  }

  /** Creates an error that another error caused. */
  public IpcException(long position, String fault, @Nullable Throwable cause) {
    super(Errno.EINVAL, "at byte " + position + ": " + fault, cause);
    this.position = position;
  }

  /** Returns the position of the fault in the file or stream, in bytes from its start. */
  public long position() {
    return position;
  }
}
