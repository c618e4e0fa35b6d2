// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.compress;

import java.lang.foreign.MemorySegment;

/** The check of a codec's arguments. */
final class Segments {
  private Segments() {}

  static void check(MemorySegment source, MemorySegment target, long targetSize) {
    if (!source.isNative() || !target.isNative()) {
      throw new IllegalArgumentException("a codec works on native segments, not on " + source + " and " + target);
    }
    if (target.byteSize() < targetSize) {
      throw new IllegalArgumentException("the compression of " + source.byteSize() + " bytes needs a target of "
          + targetSize + " bytes, not " + target.byteSize());
    }
  }
}
