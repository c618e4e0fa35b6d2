// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.rocm;

/** Copies; see {@link Hip}. */
final class HipCopies {
  /** The kind of a copy that follows from its addresses. */
  private static final int MEMCPY_DEFAULT = 4;

  private HipCopies() {}

  static int memcpyAsync(long to, long from, long bytes, long stream) {
    return Hip.MEMCPY_ASYNC.call(to, from, bytes, MEMCPY_DEFAULT, stream);
  }
}
