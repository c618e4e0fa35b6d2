// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc;

import java.nio.file.Path;
import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.jspecify.annotations.Nullable;

/**
 * Malformed or unsupported IPC input. The message has the file if it was opened by its path, the position, the fault,
 * and the numbers. The {@link #errno} is {@code EINVAL}.
 */
public final class IpcException extends DeviceException {
  private static final long serialVersionUID = 1L;

  private final long position;
  private final String fault;
  private final @Nullable String file;

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
    this(null, position, fault, cause);
  }

  private IpcException(@Nullable String file, long position, String fault, @Nullable Throwable cause) {
    super(Errno.EINVAL, (file == null ? "" : file + ": ") + "at byte " + position + ": " + fault, cause);
    this.file = file;
    this.position = position;
    this.fault = fault;
  }

  /** Returns this error with the name of the file, which its message then begins with. */
  public IpcException in(Path path) {
    IpcException named = new IpcException(path.toString(), position, fault, getCause());
    named.setStackTrace(getStackTrace());
    for (Throwable suppressed : getSuppressed()) named.addSuppressed(suppressed);
    return named;
  }

  /** Returns the path of the file; null for input without a path, such as a channel. */
  public @Nullable String file() {
    return file;
  }

  /** Returns the position of the fault in the file or stream, in bytes from its start. */
  public long position() {
    return position;
  }
}
