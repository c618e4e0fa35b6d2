// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress;

import org.jspecify.annotations.Nullable;

/** Compressed data that is malformed or unsupported, or has another size than its reader expects. */
public final class MalformedCompression extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final long position;

  MalformedCompression(long position, String fault) {
    this(position, fault, null);
  }

  MalformedCompression(long position, String fault, @Nullable Throwable cause) {
    super("at byte " + position + " of the compressed data: " + fault, cause);
    this.position = position;
  }

  /** Returns the position of the fault in the compressed data, in bytes from its start. */
  public long position() {
    return position;
  }
}
