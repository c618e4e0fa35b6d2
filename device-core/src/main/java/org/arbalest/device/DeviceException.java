// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.Objects;
import org.arbalest.device.types.Metadata;
import org.jspecify.annotations.Nullable;

/**
 * An error of a device, of a peer behind the C interface, or of the data that the peer passed.
 *
 * <p>The {@link #errno} and the message cross the C interface in either direction. A bridge to a library whose errors
 * have more detail defines a subclass.
 */
public class DeviceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  /** Null only after deserialization. */
  private final transient @Nullable Metadata metadata;

  /** Creates an error with a code of the C interface; {@link Errno} names the usual codes. */
  public DeviceException(int errno, String message) {
    this(errno, message, null);
  }

  /** Creates an error that another error caused. */
  public DeviceException(int errno, String message, @Nullable Throwable cause) {
    this(errno, message, cause, Metadata.empty());
  }

  /**
   * Creates an error of an async stream, with details for programs. The details cross the C interface with
   * {@code on_error}.
   */
  public DeviceException(int errno, String message, @Nullable Throwable cause, Metadata metadata) {
    super(Objects.requireNonNull(message, "message"), cause);
    if (errno == 0) throw new IllegalArgumentException("errno 0 means success");
    this.errno = errno;
    this.metadata = Objects.requireNonNull(metadata, "metadata");
  }

  /** Returns the error code of the C interface; never 0. */
  public int errno() {
    return errno;
  }

  /** Returns the details that an async stream added to code and message; usually empty. */
  public Metadata metadata() {
    return metadata == null ? Metadata.empty() : metadata;
  }

  /** Returns the class, the code by name and number, and the message. */
  @Override
  @SuppressWarnings("OverrideThrowableToString") // the message is the text that a peer wrote or will read
  public String toString() {
    return getClass().getName() + ": " + Errno.name(errno) + " (" + errno + "): " + getMessage();
  }

  /** Returns an error with {@code EINVAL}, for malformed data from outside or a malformed argument. */
  public static DeviceException invalid(String message) {
    return new DeviceException(Errno.EINVAL, message);
  }
}
