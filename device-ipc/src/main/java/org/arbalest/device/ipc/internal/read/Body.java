// SPDX-License-Identifier: Apache-2.0
package org.arbalest.device.ipc.internal.read;

import java.io.IOException;
import org.arbalest.device.MemoryManager;

/** The body of one message. */
interface Body {
  /** Does nothing: the owner of memory that needs no release. */
  Runnable NOTHING = () -> {};

  /** An empty body. */
  Body NONE = new Body() {
    @Override
    public long position() {
      return 0;
    }

    @Override
    public long size() {
      return 0;
    }

    @Override
    public boolean isInMemory() {
      return false;
    }

    @Override
    public Runnable fetch(BufferTable buffers, MemoryManager memory, long limit) {
      return NOTHING;
    }
  };

  /** Returns the position of the body in the file or stream, for errors. */
  long position();

  /** Returns the number of bytes. */
  long size();

  /** Returns whether the bytes are in memory of others, which {@link #fetch} does not copy. */
  boolean isInMemory();

  /**
   * Sets the address of each buffer of a table that has content. Called once at most.
   *
   * @param memory the memory for the bytes, if they are not in memory
   * @param limit the most bytes to allocate
   * @return releases the memory of the buffers; the caller runs it once
   */
  Runnable fetch(BufferTable buffers, MemoryManager memory, long limit) throws IOException;
}
