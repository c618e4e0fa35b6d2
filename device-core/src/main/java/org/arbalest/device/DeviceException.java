// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device;

import java.util.Objects;
import org.arbalest.device.types.Metadata;
import org.jspecify.annotations.Nullable;

/**
 * An error of a device, of a peer behind the C interface, or of the data it handed over.
 *
 * <p>The {@link #errno} is what crosses the C interface in either direction, together with the message. Bridges to what
 * knows more of its errors have subclasses.
 */
public class DeviceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int errno;

  /** Null only in an exception that was deserialised. */
  private final transient @Nullable Metadata metadata;

  /** An error with the code of the C interface; {@link Errno} names the usual ones. */
  public DeviceException(int errno, String message) {
    this(errno, message, null);
  }

  /** An error that was caused by another. */
  public DeviceException(int errno, String message, @Nullable Throwable cause) {
    this(errno, message, cause, Metadata.empty());
  }

  /** An error of an async stream with details for programs; they cross the C interface with {@code on_error}. */
  public DeviceException(int errno, String message, @Nullable Throwable cause, Metadata metadata) {
    super(Objects.requireNonNull(message, "message"), cause);
    if (errno == 0) throw new IllegalArgumentException("errno 0 means success");
    this.errno = errno;
    this.metadata = Objects.requireNonNull(metadata, "metadata");
  }

  /** The error code of the C interface; never 0. */
  public int errno() {
    return errno;
  }

  /** What an async stream said about its error beside code and message; usually empty. */
  public Metadata metadata() {
    return metadata == null ? Metadata.empty() : metadata;
  }

  /** The class, the code by name and number, and the message. */
  @Override
  @SuppressWarnings("OverrideThrowableToString") // the message is what a peer wrote, or reads
  public String toString() {
    return getClass().getName() + ": " + Errno.name(errno) + " (" + errno + "): " + getMessage();
  }

  /** With {@code EINVAL}: what came from outside, or was given, is malformed. */
  public static DeviceException invalid(String message) {
    return new DeviceException(Errno.EINVAL, message);
  }
}
