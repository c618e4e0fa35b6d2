// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.arrow;

import org.arbalest.device.DeviceException;
import org.arbalest.device.Errno;
import org.jspecify.annotations.Nullable;

/** Something is wrong with a schema, a vector or an array; collects the path of the field on its way up. */
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

  /** As it is if it is unchecked; what Kotlin may throw, and Java may not declare, is told by this. */
  static RuntimeException unchecked(Throwable failure) {
    return failure instanceof RuntimeException known ? known : of(failure);
  }

  /** What arrow-java or core threw, where the path is still to be known. */
  static Unfit of(Throwable failure) {
    if (failure instanceof Unfit unfit) return unfit;
    String message = failure.getMessage();
    String what = message == null ? failure.toString() : message;
    if (failure instanceof DeviceException known) return new Unfit(known.errno(), what, failure);
    boolean isFull = failure instanceof org.apache.arrow.memory.OutOfMemoryException;
    return new Unfit(isFull ? Errno.ENOMEM : Errno.EINVAL, what, failure);
  }

  /** Adds the name of the field that the trouble is below. */
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
