// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The bytes of a file at any position. Thread-safe. */
interface FileInput {
  long size();

  /** Returns bytes for FlatBuffers. The caller has checked the range. */
  default ByteBuffer part(long position, int size) throws IOException {
    return part(position, size, null);
  }

  /**
   * Returns bytes; see {@link #part(long, int)}.
   *
   * @param reused an earlier result, which may be overwritten
   */
  ByteBuffer part(long position, int size, @Nullable ByteBuffer reused) throws IOException;

  /** Returns the body of a message. The caller has checked the range. */
  Body body(long position, long size);

  /** Releases the file. Called once; arrays that refer to its memory keep that. */
  void release();
}
