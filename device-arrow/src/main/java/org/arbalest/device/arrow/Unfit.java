// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.jspecify.annotations.Nullable;

/** An error in a schema, a vector or an array. It collects the path of the field while it propagates. */
final class Unfit extends RuntimeException {
  private static final long serialVersionUID = 1L;

  static final String DICTIONARY = "(dictionary)";

  private final int errno;
  private final String what;
  private String path = "";

  Unfit(String what) {
    this(Errno.EINVAL, what, null);
  }

  private Unfit(int errno, String what, @Nullable Throwable cause) {
    super(what, cause, true, false);
    this.errno = errno;
    this.what = what;
  }

  /**
   * Returns an unchecked exception unchanged. Kotlin code may throw a checked exception that Java does not declare;
   * this method wraps it.
   */
  static RuntimeException unchecked(Throwable failure) {
    return failure instanceof RuntimeException known ? known : of(failure);
  }

  /** Wraps an exception of Arrow Java or of core, so that the path can be added. */
  static Unfit of(Throwable failure) {
    if (failure instanceof Unfit unfit) return unfit;
    String message = failure.getMessage();
    String what = message == null ? failure.toString() : message;
    if (failure instanceof DeviceException known) return new Unfit(known.errno(), what, failure);
    boolean isFull = failure instanceof org.apache.arrow.memory.OutOfMemoryException;
    return new Unfit(isFull ? Errno.ENOMEM : Errno.EINVAL, what, failure);
  }

  /** Adds the name of the field that contains the error. */
  Unfit under(String name) {
    path = "." + name + path;
    return this;
  }

  DeviceException toDeviceException() {
    DeviceException error = new DeviceException(errno, path.isEmpty() ? what : "$" + path + ": " + what, getCause());
    for (Throwable later : getSuppressed()) error.addSuppressed(later);
    return error;
  }
}
